// Compares edge, cloud and split execution: latency, throughput and energy of each stream at every bandwidth
// and round-trip time.
//
//   edge   all streams on the edge board
//   cloud  all streams over the link in the cloud
//   split  the first k streams on the edge, the others in the cloud, for the best k
//   layers the head of each network on the edge, the tail in the cloud, one tensor over the link, for the
//          best partition point
//
// All runs use the seed of the study. A stream has the same arrivals, losses and delays on either side and
// with any link (common random numbers).
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

// The metrics of a stream under one option.
struct StreamMetrics {
  scenarios::Latency latency_ms;  // from capture to the result at the edge
  scenarios::Metric throughput;   // images/s
  std::int64_t drops = 0;
  // The bottleneck that cannot keep up with the stream: "link", "edge", "cloud", or "memory" if it does not
  // fit; empty: the stream is served. The latencies of a saturated stream grow with the length of the run.
  std::string saturated;
  // Metrics of a language model, else none. Its time to the first token is measured like the latency, from
  // the request on.
  std::optional<scenarios::TokenResult> tokens = {};
  std::string grade = {};  // the grade of its throughput and latency

  [[nodiscard]] bool served() const { return saturated.empty() && latency_ms.p99.has_value(); }
};

// The metrics of all streams under one option.
struct SideMetrics {
  std::vector<StreamMetrics> streams;
  scenarios::Metric throughput;          // images/s, total
  scenarios::Metric edge_power_w;        // edge board and radio
  scenarios::Metric edge_energy_mj;      // edge board and radio, per image
  scenarios::Metric link_busy;           // share of the time
  scenarios::Metric link_gb_per_h = {};  // including repeated transmissions
  scenarios::Metric cloud_power_w = {};  // the cloud's device
  // Costs in USD: boards with streams, the cloud's machine if it has streams, the link, the boards' energy.
  // None if a price is unknown.
  scenarios::Metric cost_per_hour = {}, cost_per_million = {};  // images
  // Sums over language models: tokens after the first of each answer, the energy per thousand of them (of the
  // edge board and the radio, and of the cloud's device), and their cost.
  scenarios::Metric tokens_per_s = {}, edge_j_per_1000_tokens = {}, cloud_j_per_1000_tokens = {},
                    cost_per_1000_tokens = {};

  [[nodiscard]] bool served() const;
  [[nodiscard]] scenarios::Metric worst_p99() const;  // over all streams; none if one is not served
};

struct OffloadPoint {
  double bandwidth = 0;  // bytes/s
  sim::Duration rtt;
  SideMetrics cloud, split;
  std::size_t on_edge = 0;  // streams that `split` runs on the edge
  // The lowest worst p99 of other splits of the streams with some on each side; none: no other serves all.
  scenarios::Metric other_split = {};
  SideMetrics layers;         // empty if the network is not partitioned
  std::size_t partition = 0;  // index in OffloadAnswer::partitions, for `layers`
  Side best = Side::edge;     // lowest worst p99
  // The worst p99 of `best` if all times on its boards are longer by the usual error; none: it does not keep
  // up then, or OffloadAnswer::usual_error is not known.
  scenarios::Metric best_if_slower = {};
  // The better one of edge and cloud: for each stream by its p99, and in total by edge energy, if known.
  std::vector<Side> by_latency;
  std::optional<Side> by_energy;
  std::optional<Side> least_energy;  // among options that serve all streams; none if one is unknown
  std::optional<Side> cheapest;      // lowest cost, by the same rule
};

// A partition point of the network and the runs with it.
struct OffloadPartition {
  dnn::PartitionPoint at;
  double request_bytes = 0;  // per batch, over the link
  SideMetrics head;          // on the edge, until a request is ready to send
  SideMetrics nearest;       // head and tail, at the highest bandwidth and the lowest RTT of the study
};

// The round-trip time up to which the cloud has the lower p99 at a bandwidth, interpolated between points.
struct BreakEven {
  enum class Kind { never, up_to, always };  // within the round-trip times of the study
  double bandwidth = 0;
  std::optional<std::size_t> stream;  // none: the worst stream
  Kind kind = Kind::never;
  sim::Duration rtt;  // if `up_to`
};

// The streams distributed over several edge boards.
struct BoardsRow {
  std::int64_t boards = 1;
  SideMetrics metrics;  // power: sum over all boards
  // The mean GPU clock, over the boards with streams: governors clock a board lower that has less to do.
  scenarios::Metric gpu_clock_mhz = {};
};

struct OffloadStream {
  std::size_t index = 0, entry = 0;
  std::string name, model, cloud_model;
};

struct OffloadAnswer {
  std::string name, edge_device, cloud_device;
  // The grades of the devices' power; absent: not known. The energy of the radio is the study's.
  std::optional<std::string> edge_power_grade, cloud_power_grade;
  bool edge_is_card = false, cloud_is_card = false;  // power is the card's alone, without a server
  std::string power_note;                            // power_note()
  // Prediction intervals of the devices' mean power, relative to it, with all streams: on the edge, and in
  // the cloud at the highest bandwidth and the lowest round-trip time. None unless asked.
  scenarios::Interval edge_power_interval, cloud_power_interval;
  std::vector<OffloadStream> streams;
  scenarios::Link link;              // without bandwidth and rtt
  SideMetrics edge;                  // independent of the link
  std::vector<OffloadPoint> points;  // bandwidths ascending, within each the round-trip times
  std::vector<BreakEven> break_even;
  std::vector<BoardsRow> boards;
  std::vector<std::size_t> tried;  // numbers of streams on the edge for `split`
  std::vector<OffloadPartition> partitions;
  std::size_t layers = 0;           // number of layers of the partitioned network
  std::string why_not_partitioned;  // message, if there are no partitions
  OffloadPrices prices;             // the study's prices, else the profiles'
  Costs costs;
  scenarios::Metric usual_error = {};  // of the lowest grade of throughput and latency
  std::size_t runs = 0;
};

// The lowest grade of throughput and latency of the streams of both sides; empty: none is known.
[[nodiscard]] std::string lowest_grade(const OffloadAnswer& answer);

// The metrics of one option at a point.
[[nodiscard]] const SideMetrics& metrics(const OffloadAnswer& answer, const OffloadPoint& point, Side side);

struct OffloadControl {
  unsigned threads = 0;   // 0: as many as there are cores
  bool interval = false;  // true: computes the intervals of power, about 160 runs more
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(std::size_t done, std::size_t of)> progress;  // called by one thread at a time
};

// Throws Interrupted, RunError.
[[nodiscard]] OffloadAnswer offload(const OffloadQuestion& question, const OffloadControl& control);

// The break-even between `cloud`, the latencies in the cloud by ascending round-trip time (none: not served),
// and `edge`, the latency on the edge.
[[nodiscard]] BreakEven break_even(const std::vector<sim::Duration>& rtts,
                                   const std::vector<scenarios::Metric>& cloud, scenarios::Metric edge);

// A line of JSON for each point and stream, then for each break-even, partition point and number of boards.
[[nodiscard]] std::string offload_json(const OffloadAnswer& answer);

}  // namespace jostle::analyses
