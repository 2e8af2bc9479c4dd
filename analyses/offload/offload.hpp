// Edge, cloud or split: each stream's latency, throughput and energy at every bandwidth and round-trip time.
//
//   edge   all streams on the edge board
//   cloud  all streams over the link to the cloud's device
//   split  the first k streams on the edge, the others in the cloud; of all k tried the best
//   layers of each stream's network the head on the edge and the tail in the cloud, the tensor between them
//          over the link; of all cuts tried the best
//
// Every run has the seed of the study, and a stream the same arrivals, losses and delays wherever it is
// served and whatever the link is (common random numbers).
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyses/offload/question.hpp"
#include "models/dnn/partition_points.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

enum class Side { edge, cloud, split, layers };
[[nodiscard]] const char* to_string(Side side);

// How a stream fares on one of the sides.
struct StreamMetrics {
  scenarios::Latency latency_ms;  // from capture to the result at the edge
  scenarios::Metric throughput;   // images/s
  std::int64_t drops = 0;
  // What cannot keep up with the stream: "link", "edge", "cloud", or "memory" where it does not fit; empty:
  // it is served. Latencies then grow with the length of the run.
  std::string saturated;

  [[nodiscard]] bool served() const { return saturated.empty() && latency_ms.p99.has_value(); }
};

// All streams on one side.
struct SideMetrics {
  std::vector<StreamMetrics> streams;
  scenarios::Metric throughput;      // images/s, of all
  scenarios::Metric edge_power_w;    // of the edge board and the radio
  scenarios::Metric edge_energy_mj;  // of both, for an image of any stream
  scenarios::Metric link_busy;       // share of the time

  [[nodiscard]] bool served() const;
  [[nodiscard]] scenarios::Metric worst_p99() const;  // of all streams; none where one is not served
};

struct OffloadPoint {
  double bandwidth = 0;  // bytes/s
  sim::Duration rtt;
  SideMetrics cloud, split;
  std::size_t stays = 0;   // streams that split leaves on the edge
  SideMetrics layers;      // none where the network is not cut
  std::size_t cut = 0;     // in OffloadAnswer::cuts, where there are layers
  Side best = Side::edge;  // by the worst p99
  // Edge or cloud, of each stream and of all: by p99; by energy at the edge, where that is known.
  std::vector<Side> by_latency;
  std::optional<Side> by_energy;
  std::optional<Side> least_energy;  // of all four, among those who serve all; not known of one: none
};

// Up to which round-trip time the cloud has the lower p99 at a bandwidth, between points interpolated.
// A place where the network is cut.
struct OffloadPartition {
  dnn::PartitionPoint cut;
  double request_bytes = 0;  // of a batch: what crosses the link
  SideMetrics head;          // on the edge, up to where requests are ready to be sent
  SideMetrics nearest;       // head and tail, at the greatest bandwidth and the least RTT of the study
};

struct BreakEven {
  enum class Kind { never, up_to, always };  // always: at all times of the study
  double bandwidth = 0;
  std::optional<std::size_t> stream;  // none: the worst of all
  Kind kind = Kind::never;
  sim::Duration rtt;  // up_to
};

// The streams spread over so many edge boards.
struct BoardsRow {
  std::int64_t boards = 1;
  SideMetrics figures;  // power of all boards
};

struct OffloadStream {
  std::size_t index = 0, entry = 0;
  std::string name, model, cloud_model;
};

struct OffloadAnswer {
  std::string name, edge_device, cloud_device;
  std::vector<OffloadStream> streams;
  scenarios::Link link;              // but for bandwidth and rtt
  SideMetrics edge;                  // the link does not change it
  std::vector<OffloadPoint> points;  // bandwidths ascending, within each the round-trip times
  std::vector<BreakEven> break_even;
  std::vector<BoardsRow> boards;
  std::vector<std::size_t> tried;      // how many may stay in split
  std::vector<OffloadPartition> cuts;  // that were tried
  std::size_t layers = 0;              // of the network that is cut
  std::string why_uncut;               // where there are no cuts, for people
  std::size_t runs = 0;
};

// Of one of the sides at a point.
[[nodiscard]] const SideMetrics& figures(const OffloadAnswer& answer, const OffloadPoint& point, Side side);

struct OffloadControl {
  unsigned threads = 0;  // 0: as many as there are cores
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(std::size_t done, std::size_t of)> progress;  // never by two threads at once
};

// Throws Interrupted, and RunError.
[[nodiscard]] OffloadAnswer offload(const OffloadQuestion& question, const OffloadControl& control);

// Of latencies by round-trip time, ascending (none: not served): where the cloud's reach the edge's.
[[nodiscard]] BreakEven break_even(const std::vector<sim::Duration>& rtts,
                                   const std::vector<scenarios::Metric>& cloud, scenarios::Metric edge);

}  // namespace jostle::analyses
