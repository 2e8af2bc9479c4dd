// The runs of an offload study: streams on the edge, or over a link in the cloud.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyses/offload/offload.hpp"
#include "models/process/spec.hpp"

namespace jostle::analyses {

// The run of a board with some of the streams.
struct BoardRun {
  std::vector<StreamMetrics> streams;  // in the order of `streams` of the run
  double images_per_s = 0, tokens_per_s = 0;
  scenarios::Metric power_w;  // the board's; idle power without streams
  scenarios::Metric gpu_clock_mhz;
  scenarios::Metric link_busy, link_load, radio_w;
  double link_bytes_per_s = 0;  // over the link, including repeated transmissions
};

// A point of the grid of links.
struct LinkPoint {
  double bandwidth = 0;  // bytes/s
  sim::Duration rtt;
};

[[nodiscard]] BoardRun run_on_edge(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                                   const std::atomic<bool>* interrupt);
[[nodiscard]] BoardRun run_in_cloud(const OffloadQuestion& question, const std::vector<std::size_t>& streams,
                                    const LinkPoint& at, const std::atomic<bool>* interrupt);

// The partition points of the streams' network, with ever smaller tensors (dnn::narrowing()).
struct PartitionPoints {
  std::vector<dnn::PartitionPoint> all;
  std::size_t layers = 0;  // number of layers of the whole network
  std::string why_none;    // message if there are none, else empty
};
[[nodiscard]] PartitionPoints partition_points_of(const OffloadQuestion& question);

// Bytes of the tensor of a batch at the partition point, in the precision of the edge.
[[nodiscard]] double request_bytes(const OffloadQuestion& question, const dnn::PartitionPoint& point);

// The run of the heads of all streams on the edge, with the times at which each request arrived and was ready
// to send.
struct HeadRun {
  BoardRun board;
  std::vector<std::vector<process::Answered>> answered;  // by stream
};
[[nodiscard]] HeadRun run_heads(const OffloadQuestion& question, const dnn::PartitionPoint& point,
                                const std::atomic<bool>* interrupt);
// The tails in the cloud; latencies count from the creation of requests.
[[nodiscard]] BoardRun run_tails(const OffloadQuestion& question, const dnn::PartitionPoint& point,
                                 const HeadRun& heads, const LinkPoint& at,
                                 const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
