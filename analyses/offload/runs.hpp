// The runs that an offload study needs: some of its streams on the edge, or over a link in the cloud.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyses/offload/offload.hpp"
#include "models/process/spec.hpp"

namespace jostle::analyses {

// One board with some of the streams.
struct BoardRun {
  std::vector<StreamMetrics> streams;  // of those asked for, in their order
  double images_per_s = 0;
  scenarios::Metric power_w;  // of the board; with no streams of the board at rest
  scenarios::Metric link_busy, radio_w;
};

[[nodiscard]] BoardRun run_on_edge(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                                   const std::atomic<bool>* interrupt);
[[nodiscard]] BoardRun run_in_cloud(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                                    double bandwidth, sim::Duration rtt, const std::atomic<bool>* interrupt);

// Where the streams' network may be cut, of places where ever less is sent (dnn::narrowing()).
struct PartitionPoints {
  std::vector<dnn::PartitionPoint> all;
  std::size_t layers = 0;  // of the whole network
  std::string why_none;    // for people; empty where there are some
};
[[nodiscard]] PartitionPoints partition_points_of(const OffloadQuestion& question);

// Bytes of what crosses, of a batch: in the precision in which the edge computes it.
[[nodiscard]] double request_bytes(const OffloadQuestion& question, const dnn::PartitionPoint& cut);

// The heads of all streams on the edge, and when each request was made and is ready to be sent.
struct HeadRun {
  BoardRun board;
  std::vector<std::vector<process::Answered>> answered;  // by stream
};
[[nodiscard]] HeadRun run_heads(const OffloadQuestion& question, const dnn::PartitionPoint& cut,
                                const std::atomic<bool>* interrupt);
// Their tails in the cloud; latencies count from when requests were made.
[[nodiscard]] BoardRun run_tails(const OffloadQuestion& question, const dnn::PartitionPoint& cut,
                                 const HeadRun& heads, double bandwidth, sim::Duration rtt,
                                 const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
