#include "analyses/offload/offload.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "analyses/offload/runs.hpp"
#include "models/board/spec.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

using Streams = std::vector<std::size_t>;

Streams range(std::size_t first, std::size_t end) {
  Streams streams(end - first);
  std::iota(streams.begin(), streams.end(), first);
  return streams;
}

// How many streams may stay on the edge: all numbers while they are few, else some evenly spread.
std::vector<std::size_t> numbers_to_try(std::size_t streams) {
  constexpr std::size_t most = 16;
  std::vector<std::size_t> numbers;
  const std::size_t steps = std::min(streams, most);
  for (std::size_t i = 0; i <= steps; ++i) numbers.push_back((i * streams + steps / 2) / steps);
  return numbers;
}

// All runs of a study, each done once, side by side.
class Runs {
 public:
  Runs(const OffloadQuestion& question, const OffloadControl& control)
      : question_(question), control_(control) {}

  void add_edge(const Streams& streams) { edge_.try_emplace(streams); }
  void add_cloud(std::size_t first, std::size_t bandwidth, std::size_t rtt) {
    cloud_.try_emplace({first, bandwidth, rtt});
  }
  void add_tails(std::size_t cut, std::size_t bandwidth, std::size_t rtt) {
    tails_.try_emplace({cut, bandwidth, rtt});
  }

  // Heads come first: when they are done is when tails can begin.
  void run(const std::vector<dnn::PartitionPoint>& cuts) {
    heads_.resize(cuts.size());
    std::vector<std::function<void()>> heads, work;
    for (std::size_t i = 0; i < cuts.size(); ++i)
      heads.emplace_back([this, &cuts, i] { heads_[i] = run_heads(question_, cuts[i], control_.interrupt); });
    const std::size_t streams = question_.streams();
    const OffloadSection& section = question_.section;
    for (auto& [which, into] : tails_) {
      work.emplace_back([this, which = which, &into = into, &cuts, &section] {
        into = run_tails(question_, cuts[which[0]], heads_[which[0]], section.bandwidths[which[1]],
                         section.rtts[which[2]], control_.interrupt);
      });
    }
    for (auto& [which, into] : cloud_) {
      work.emplace_back([this, which = which, &into = into, streams, &section] {
        into = run_in_cloud(question_, range(which[0], streams), section.bandwidths[which[1]],
                            section.rtts[which[2]], control_.interrupt);
      });
    }
    for (auto& [which, into] : edge_) {
      work.emplace_back(
          [this, &which = which, &into = into] { into = run_on_edge(question_, which, control_.interrupt); });
    }
    const std::size_t all = heads.size() + work.size();
    do_all(heads, all);
    do_all(work, all);
  }

  [[nodiscard]] const BoardRun& edge(const Streams& streams) const { return edge_.at(streams); }
  [[nodiscard]] const BoardRun& cloud(std::size_t first, std::size_t bandwidth, std::size_t rtt) const {
    return cloud_.at({first, bandwidth, rtt});
  }
  [[nodiscard]] const HeadRun& heads(std::size_t cut) const { return heads_[cut]; }
  [[nodiscard]] const BoardRun& tails(std::size_t cut, std::size_t bandwidth, std::size_t rtt) const {
    return tails_.at({cut, bandwidth, rtt});
  }
  [[nodiscard]] std::size_t count() const {
    return edge_.size() + cloud_.size() + heads_.size() + tails_.size();
  }

 private:
  void do_all(const std::vector<std::function<void()>>& work, std::size_t of) {
    scenarios::parallel_for(
        work.size(),
        [&](std::size_t i) {
          if (control_.interrupt != nullptr && control_.interrupt->load()) throw scenarios::Interrupted{};
          work[i]();
          const std::lock_guard lock(guard_);
          ++done_;
          if (control_.progress) control_.progress(done_, of);
        },
        control_.threads);
  }

  const OffloadQuestion& question_;
  const OffloadControl& control_;
  std::mutex guard_;
  std::size_t done_ = 0;
  std::map<Streams, BoardRun> edge_;
  std::map<std::array<std::size_t, 3>, BoardRun> cloud_;  // by the first stream that is there, and the link
  std::vector<HeadRun> heads_;                            // by cut
  std::map<std::array<std::size_t, 3>, BoardRun> tails_;  // by cut, and the link
};

// What boards on the edge and one in the cloud make of the streams; null: there is none in the cloud.
SideMetrics together(const std::vector<const BoardRun*>& edges, const BoardRun* cloud) {
  SideMetrics side;
  double images = 0, power = 0;
  bool power_known = true;
  for (const BoardRun* const edge : edges) {
    images += edge->images_per_s;
    power_known = power_known && edge->power_w;
    power += edge->power_w.value_or(0);
  }
  if (cloud != nullptr) {
    images += cloud->images_per_s;
    power += cloud->radio_w.value_or(0);
    side.link_busy = cloud->link_busy;
  }
  side.throughput = images;
  if (power_known) side.edge_power_w = power;
  if (power_known && images > 0) side.edge_energy_mj = 1e3 * power / images;
  return side;
}

SideMetrics divided(const BoardRun& edge, const BoardRun* cloud) {
  SideMetrics side = together({&edge}, cloud);
  side.streams = edge.streams;
  if (cloud != nullptr) side.streams.insert(side.streams.end(), cloud->streams.begin(), cloud->streams.end());
  return side;
}

// Heads on the edge, tails in the cloud: images are counted once, and a stream is served if both serve it.
SideMetrics behind_each_other(const BoardRun& heads, const BoardRun& tails) {
  BoardRun edge = heads;
  edge.images_per_s = 0;
  SideMetrics side = together({&edge}, &tails);
  side.streams = tails.streams;
  for (std::size_t i = 0; i < side.streams.size(); ++i) {
    side.streams[i].drops += heads.streams[i].drops;
    if (!heads.streams[i].saturated.empty()) side.streams[i].saturated = heads.streams[i].saturated;
  }
  return side;
}

// Who serves all comes before who does not, then who is faster.
bool better(bool served, scenarios::Metric p99, bool other_served, scenarios::Metric other_p99) {
  if (served != other_served) return served;
  if (!p99 || !other_p99) return p99.has_value() && !other_p99;
  return *p99 < *other_p99;
}

bool better(const SideMetrics& side, const SideMetrics& other) {
  const auto slowest = [](const SideMetrics& figures) {
    scenarios::Metric worst = 0.0;
    for (const StreamMetrics& stream : figures.streams)
      worst = worst && stream.latency_ms.p99 ? scenarios::Metric(std::max(*worst, *stream.latency_ms.p99))
                                             : std::nullopt;
    return worst;
  };
  return better(side.served(), slowest(side), other.served(), slowest(other));
}

std::optional<Side> by_energy(const SideMetrics& edge, const SideMetrics& cloud) {
  if (edge.served() != cloud.served()) return edge.served() ? Side::edge : Side::cloud;
  if (!edge.served()) return std::nullopt;
  if (!edge.edge_energy_mj || !cloud.edge_energy_mj) return std::nullopt;
  return *cloud.edge_energy_mj < *edge.edge_energy_mj ? Side::cloud : Side::edge;
}

std::optional<Side> least_energy(const OffloadAnswer& answer, const OffloadPoint& point) {
  std::optional<Side> least;
  for (const Side side : {Side::edge, Side::cloud, Side::split, Side::layers}) {
    if (side == Side::layers && answer.cuts.empty()) continue;
    const SideMetrics& has = figures(answer, point, side);
    if (!has.served()) continue;
    if (!has.edge_energy_mj) return std::nullopt;
    if (!least || *has.edge_energy_mj < *figures(answer, point, *least).edge_energy_mj) least = side;
  }
  return least;
}

Streams dealt(std::size_t streams, std::size_t boards, std::size_t board) {
  Streams own;
  for (std::size_t stream = board; stream < streams; stream += boards) own.push_back(stream);
  return own;
}

scenarios::Metric p99_of(const StreamMetrics& stream) {
  return stream.served() ? stream.latency_ms.p99 : std::nullopt;
}

// One a bandwidth for all streams, then one for each stream.
void add_break_even(OffloadAnswer& answer, const OffloadSection& section) {
  for (std::size_t b = 0; b < section.bandwidths.size(); ++b) {
    const auto* const points = answer.points.data() + b * section.rtts.size();
    const auto add = [&](std::optional<std::size_t> stream, const auto& figure_of) {
      std::vector<scenarios::Metric> cloud;
      for (std::size_t r = 0; r < section.rtts.size(); ++r) cloud.push_back(figure_of(points[r].cloud));
      BreakEven found = break_even(section.rtts, cloud, figure_of(answer.edge));
      found.bandwidth = section.bandwidths[b];
      found.stream = stream;
      answer.break_even.push_back(found);
    };
    add(std::nullopt, [](const SideMetrics& side) { return side.worst_p99(); });
    for (std::size_t stream = 0; stream < answer.streams.size(); ++stream)
      add(stream, [stream](const SideMetrics& side) { return p99_of(side.streams[stream]); });
  }
}

OffloadPoint point_at(const OffloadAnswer& answer, const Runs& runs, const OffloadSection& section,
                      std::size_t b, std::size_t r) {
  const std::size_t streams = answer.streams.size();
  OffloadPoint point{.bandwidth = section.bandwidths[b],
                     .rtt = section.rtts[r],
                     .cloud = divided(runs.edge({}), &runs.cloud(0, b, r)),
                     .split = answer.edge,
                     .stays = streams,
                     .layers = {},
                     .by_latency = {},
                     .by_energy = {},
                     .least_energy = {}};
  for (const std::size_t stays : answer.tried) {
    if (stays == streams) continue;
    SideMetrics side = divided(runs.edge(range(0, stays)), &runs.cloud(stays, b, r));
    if (!better(side, point.split)) continue;
    point.split = std::move(side);
    point.stays = stays;
  }
  for (std::size_t cut = 0; cut < answer.cuts.size(); ++cut) {
    SideMetrics side = behind_each_other(runs.heads(cut).board, runs.tails(cut, b, r));
    if (cut > 0 && !better(side, point.layers)) continue;
    point.layers = std::move(side);
    point.cut = cut;
  }
  for (const Side side : {Side::cloud, Side::split, Side::layers}) {
    if (side == Side::layers && answer.cuts.empty()) continue;
    if (better(figures(answer, point, side), figures(answer, point, point.best))) point.best = side;
  }
  for (std::size_t i = 0; i < streams; ++i) {
    const StreamMetrics &here = answer.edge.streams[i], &there = point.cloud.streams[i];
    const bool cloud = better(there.served(), there.latency_ms.p99, here.served(), here.latency_ms.p99);
    point.by_latency.push_back(cloud ? Side::cloud : Side::edge);
  }
  point.by_energy = by_energy(answer.edge, point.cloud);
  point.least_energy = least_energy(answer, point);
  return point;
}

BoardsRow boards_row(const Runs& runs, std::size_t streams, std::int64_t boards) {
  const auto count = static_cast<std::size_t>(boards);
  std::vector<const BoardRun*> all;
  for (std::size_t board = 0; board < count; ++board) all.push_back(&runs.edge(dealt(streams, count, board)));
  BoardsRow row{.boards = boards, .figures = together(all, nullptr)};
  for (std::size_t stream = 0; stream < streams; ++stream)
    row.figures.streams.push_back(all[stream % count]->streams[stream / count]);
  return row;
}

}  // namespace

const char* to_string(Side side) {
  constexpr std::array<const char*, 4> names{"edge", "cloud", "split", "layers"};
  return names[static_cast<std::size_t>(side)];
}

const SideMetrics& figures(const OffloadAnswer& answer, const OffloadPoint& point, Side side) {
  switch (side) {
    case Side::edge:
      return answer.edge;
    case Side::cloud:
      return point.cloud;
    case Side::split:
      return point.split;
    case Side::layers:
      break;
  }
  return point.layers;
}

bool SideMetrics::served() const {
  return std::ranges::all_of(streams, [](const StreamMetrics& stream) { return stream.served(); });
}

scenarios::Metric SideMetrics::worst_p99() const {
  if (!served()) return std::nullopt;
  double worst = 0;
  for (const StreamMetrics& stream : streams) worst = std::max(worst, *stream.latency_ms.p99);
  return worst;
}

OffloadAnswer offload(const OffloadQuestion& question, const OffloadControl& control) {
  const OffloadSection& section = question.section;
  OffloadAnswer answer;
  answer.name = question.edge.name;
  answer.edge_device = question.edge.device;
  answer.cloud_device = question.cloud.device;
  answer.link = section.link;
  for (const scenarios::ProcessInstance& instance : scenarios::expand(question.edge)) {
    const scenarios::ProcessEntry& entry = question.edge.processes[instance.entry];
    answer.streams.push_back({instance.index, instance.entry, entry.name, scenarios::model_name(entry.model),
                              scenarios::model_name(question.cloud.processes[instance.entry].model)});
  }
  const std::size_t streams = answer.streams.size();
  answer.tried = numbers_to_try(streams);

  Runs runs(question, control);
  for (const std::size_t stays : answer.tried) {
    runs.add_edge(range(0, stays));
    if (stays == streams) continue;
    for (std::size_t b = 0; b < section.bandwidths.size(); ++b)
      for (std::size_t r = 0; r < section.rtts.size(); ++r) runs.add_cloud(stays, b, r);
  }
  for (const std::int64_t boards : section.boards)
    for (std::size_t board = 0; board < static_cast<std::size_t>(boards); ++board)
      runs.add_edge(dealt(streams, static_cast<std::size_t>(boards), board));
  const PartitionPoints cuts = partition_points_of(question);
  answer.layers = cuts.layers;
  answer.why_uncut = cuts.why_none;
  for (const dnn::PartitionPoint& cut : cuts.all)
    answer.cuts.push_back({cut, request_bytes(question, cut), {}, {}});
  for (std::size_t cut = 0; cut < answer.cuts.size(); ++cut)
    for (std::size_t b = 0; b < section.bandwidths.size(); ++b)
      for (std::size_t r = 0; r < section.rtts.size(); ++r) runs.add_tails(cut, b, r);
  runs.run(cuts.all);

  answer.runs = runs.count();
  answer.edge = divided(runs.edge(range(0, streams)), nullptr);
  for (std::size_t b = 0; b < section.bandwidths.size(); ++b)
    for (std::size_t r = 0; r < section.rtts.size(); ++r)
      answer.points.push_back(point_at(answer, runs, section, b, r));
  for (std::size_t cut = 0; cut < answer.cuts.size(); ++cut) {
    const HeadRun& heads = runs.heads(cut);
    answer.cuts[cut].head = divided(heads.board, nullptr);
    answer.cuts[cut].nearest =
        behind_each_other(heads.board, runs.tails(cut, section.bandwidths.size() - 1, 0));
  }
  add_break_even(answer, section);
  for (const std::int64_t boards : section.boards) answer.boards.push_back(boards_row(runs, streams, boards));
  return answer;
}

}  // namespace jostle::analyses
