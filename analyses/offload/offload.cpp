#include "analyses/offload/offload.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "analyses/interval/power_interval.hpp"
#include "analyses/offload/runs.hpp"
#include "analyses/study/power_basis.hpp"
#include "analyses/verdict/slower.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/run/grades_of.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

using StreamIndices = std::vector<std::size_t>;

StreamIndices range(std::size_t first, std::size_t end) {
  StreamIndices streams(end - first);
  std::iota(streams.begin(), streams.end(), first);
  return streams;
}

// The numbers of streams to try on the edge: all if there are few, else evenly spaced.
std::vector<std::size_t> numbers_to_try(std::size_t streams) {
  constexpr std::size_t max_steps = 16;
  std::vector<std::size_t> numbers;
  const std::size_t steps = std::min(streams, max_steps);
  for (std::size_t i = 0; i <= steps; ++i) numbers.push_back((i * streams + steps / 2) / steps);
  return numbers;
}

// The runs of a study, each done once, in parallel.
class PointRuns {
 public:
  PointRuns(const OffloadQuestion& question, const OffloadControl& control)
      : question_(question), control_(control) {}

  void add_edge(const StreamIndices& streams) { edge_.try_emplace(streams); }
  void add_cloud(std::size_t first, std::size_t bandwidth, std::size_t rtt) {
    cloud_.try_emplace({first, bandwidth, rtt});
  }
  void add_tails(std::size_t partition, std::size_t bandwidth, std::size_t rtt) {
    tails_.try_emplace({partition, bandwidth, rtt});
  }

  // Heads run first: tails start from their results.
  void run(const std::vector<dnn::PartitionPoint>& partitions) {
    heads_.resize(partitions.size());
    std::vector<std::function<void()>> heads, work;
    for (std::size_t i = 0; i < partitions.size(); ++i)
      heads.emplace_back(
          [this, &partitions, i] { heads_[i] = run_heads(question_, partitions[i], control_.interrupt); });
    const std::size_t streams = question_.streams();
    const OffloadSection& section = question_.section;
    for (auto& [which, into] : tails_) {
      work.emplace_back([this, which = which, &into = into, &partitions, &section] {
        into = run_tails(question_, partitions[which[0]], heads_[which[0]],
                         {section.bandwidths[which[1]], section.rtts[which[2]]}, control_.interrupt);
      });
    }
    for (auto& [which, into] : cloud_) {
      work.emplace_back([this, which = which, &into = into, streams, &section] {
        into = run_in_cloud(question_, range(which[0], streams),
                            {section.bandwidths[which[1]], section.rtts[which[2]]}, control_.interrupt);
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

  [[nodiscard]] const BoardRun& edge(const StreamIndices& streams) const { return edge_.at(streams); }
  [[nodiscard]] const BoardRun& cloud(std::size_t first, std::size_t bandwidth, std::size_t rtt) const {
    return cloud_.at({first, bandwidth, rtt});
  }
  [[nodiscard]] const HeadRun& heads(std::size_t partition) const { return heads_[partition]; }
  [[nodiscard]] const BoardRun& tails(std::size_t partition, std::size_t bandwidth, std::size_t rtt) const {
    return tails_.at({partition, bandwidth, rtt});
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
  std::map<StreamIndices, BoardRun> edge_;
  std::map<std::array<std::size_t, 3>, BoardRun> cloud_;  // by the first stream in the cloud, and the link
  std::vector<HeadRun> heads_;                            // by partition
  std::map<std::array<std::size_t, 3>, BoardRun> tails_;  // by partition, and the link
};

// Total throughput, power and energy of the edge boards and the cloud board (null: none).
SideMetrics totals_of(const std::vector<const BoardRun*>& edges, const BoardRun* cloud) {
  SideMetrics side;
  double images = 0, tokens = 0, power = 0;
  bool power_known = true;
  for (const BoardRun* const edge : edges) {
    images += edge->images_per_s;
    tokens += edge->tokens_per_s;
    power_known = power_known && edge->power_w;
    power += edge->power_w.value_or(0);
  }
  if (cloud != nullptr) {
    images += cloud->images_per_s;
    tokens += cloud->tokens_per_s;
    power += cloud->radio_w.value_or(0);
    side.link_busy = cloud->link_busy;
    side.link_gb_per_h = cloud->link_bytes_per_s * 3600 / 1e9;
    side.cloud_power_w = cloud->power_w;
  }
  side.throughput = images;
  if (power_known) side.edge_power_w = power;
  if (power_known && images > 0) side.edge_energy_mj = 1e3 * power / images;
  if (tokens <= 0) return side;
  side.tokens_per_s = tokens;
  if (power_known) side.edge_j_per_1000_tokens = 1e3 * power / tokens;
  if (side.cloud_power_w) side.cloud_j_per_1000_tokens = 1e3 * *side.cloud_power_w / tokens;
  return side;
}

// The metrics with some streams on the edge, the others in the cloud.
SideMetrics split_streams(const BoardRun& edge, const BoardRun* cloud) {
  SideMetrics side = totals_of({&edge}, cloud);
  side.streams = edge.streams;
  if (cloud != nullptr) side.streams.insert(side.streams.end(), cloud->streams.begin(), cloud->streams.end());
  return side;
}

// The metrics with heads on the edge and tails in the cloud. Images are counted once, and a stream is served
// if both parts serve it.
SideMetrics head_and_tail(const BoardRun& heads, const BoardRun& tails) {
  BoardRun edge = heads;
  edge.images_per_s = 0;
  SideMetrics side = totals_of({&edge}, &tails);
  side.streams = tails.streams;
  for (std::size_t i = 0; i < side.streams.size(); ++i) {
    side.streams[i].drops += heads.streams[i].drops;
    if (!heads.streams[i].saturated.empty()) side.streams[i].saturated = heads.streams[i].saturated;
  }
  return side;
}

// Adds the cost of an option with this number of boards. A board without streams is not bought.
void add_cost(SideMetrics& side, std::int64_t boards, const OffloadAnswer& answer) {
  const bool in_cloud = side.cloud_power_w || side.link_gb_per_h;
  const OffloadPrices& prices = answer.prices;
  if ((boards > 0 && !prices.board) || (in_cloud && !prices.cloud_per_hour)) return;
  double usd = 0;
  if (boards > 0) {
    if (answer.costs.energy_usd_per_kwh > 0 && !side.edge_power_w) return;
    usd += answer.costs.per_hour(static_cast<double>(boards) * *prices.board, side.edge_power_w.value_or(0));
  }
  if (in_cloud) usd += *prices.cloud_per_hour + side.link_gb_per_h.value_or(0) * prices.link_per_gb;
  side.cost_per_hour = usd;
  side.cost_per_million = per_million(usd, side.throughput.value_or(0));
  if (side.tokens_per_s) side.cost_per_1000_tokens = per_million(usd, *side.tokens_per_s).value_or(0) / 1e3;
}

// Returns whether an option is better: one that serves all streams comes first, then the lower p99 decides.
bool better(bool served, scenarios::Metric p99, bool other_served, scenarios::Metric other_p99) {
  if (served != other_served) return served;
  if (!p99 || !other_p99) return p99.has_value() && !other_p99;
  constexpr double noticeable = 0.995;  // less than half a percent apart, the simpler option is as good
  return *p99 < noticeable * *other_p99;
}

bool better(const SideMetrics& side, const SideMetrics& other) {
  const auto slowest = [](const SideMetrics& metrics) {
    scenarios::Metric worst = 0.0;
    for (const StreamMetrics& stream : metrics.streams)
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

// The option with the lowest value of the metric among those that serve all streams; none if one is unknown.
std::optional<Side> least_of(const OffloadAnswer& answer, const OffloadPoint& point,
                             scenarios::Metric SideMetrics::*metric) {
  std::optional<Side> least;
  for (const Side side : {Side::edge, Side::cloud, Side::split, Side::layers}) {
    if (side == Side::layers && answer.partitions.empty()) continue;
    const SideMetrics& candidate = metrics(answer, point, side);
    if (!candidate.served()) continue;
    if (!(candidate.*metric)) return std::nullopt;
    if (!least || *(candidate.*metric) < *(metrics(answer, point, *least).*metric)) least = side;
  }
  return least;
}

// The streams of one of several boards. Streams are dealt out in turn.
StreamIndices streams_of_board(std::size_t streams, std::size_t boards, std::size_t board) {
  StreamIndices own;
  for (std::size_t stream = board; stream < streams; stream += boards) own.push_back(stream);
  return own;
}

scenarios::Metric p99_of(const StreamMetrics& stream) {
  return stream.served() ? stream.latency_ms.p99 : std::nullopt;
}

// For each bandwidth: the break-even of all streams, then of each stream.
void add_break_even(OffloadAnswer& answer, const OffloadSection& section) {
  for (std::size_t b = 0; b < section.bandwidths.size(); ++b) {
    const auto* const points = answer.points.data() + b * section.rtts.size();
    const auto add = [&](std::optional<std::size_t> stream, const auto& metric_of) {
      std::vector<scenarios::Metric> cloud;
      for (std::size_t r = 0; r < section.rtts.size(); ++r) cloud.push_back(metric_of(points[r].cloud));
      BreakEven found = break_even(section.rtts, cloud, metric_of(answer.edge));
      found.bandwidth = section.bandwidths[b];
      found.stream = stream;
      answer.break_even.push_back(found);
    };
    add(std::nullopt, [](const SideMetrics& side) { return side.worst_p99(); });
    for (std::size_t stream = 0; stream < answer.streams.size(); ++stream)
      add(stream, [stream](const SideMetrics& side) { return p99_of(side.streams[stream]); });
  }
}

OffloadPoint point_at(const OffloadAnswer& answer, const PointRuns& runs, const OffloadSection& section,
                      std::size_t b, std::size_t r) {
  const std::size_t streams = answer.streams.size();
  OffloadPoint point{.bandwidth = section.bandwidths[b],
                     .rtt = section.rtts[r],
                     .cloud = split_streams(runs.edge({}), &runs.cloud(0, b, r)),
                     .split = answer.edge,
                     .on_edge = streams,
                     .layers = {},
                     .by_latency = {},
                     .by_energy = {},
                     .least_energy = {},
                     .cheapest = {}};
  add_cost(point.cloud, 0, answer);
  std::vector<std::pair<std::size_t, scenarios::Metric>> splits;  // streams on the edge, not all; worst p99
  for (const std::size_t on_edge : answer.tried) {
    if (on_edge == streams) continue;
    SideMetrics side = split_streams(runs.edge(range(0, on_edge)), &runs.cloud(on_edge, b, r));
    add_cost(side, on_edge > 0 ? 1 : 0, answer);
    if (on_edge > 0) splits.emplace_back(on_edge, side.worst_p99());
    if (!better(side, point.split)) continue;
    point.split = std::move(side);
    point.on_edge = on_edge;
  }
  for (const auto& [on_edge, p99] : splits)
    if (on_edge != point.on_edge && p99 && (!point.other_split || *p99 < *point.other_split))
      point.other_split = p99;
  for (std::size_t i = 0; i < answer.partitions.size(); ++i) {
    SideMetrics side = head_and_tail(runs.heads(i).board, runs.tails(i, b, r));
    add_cost(side, 1, answer);
    if (i > 0 && !better(side, point.layers)) continue;
    point.layers = std::move(side);
    point.partition = i;
  }
  for (const Side side : {Side::cloud, Side::split, Side::layers}) {
    if (side == Side::layers && answer.partitions.empty()) continue;
    if (better(metrics(answer, point, side), metrics(answer, point, point.best))) point.best = side;
  }
  for (std::size_t i = 0; i < streams; ++i) {
    const StreamMetrics &here = answer.edge.streams[i], &there = point.cloud.streams[i];
    const bool cloud = better(there.served(), there.latency_ms.p99, here.served(), here.latency_ms.p99);
    point.by_latency.push_back(cloud ? Side::cloud : Side::edge);
  }
  point.by_energy = by_energy(answer.edge, point.cloud);
  point.least_energy = least_of(answer, point, &SideMetrics::edge_energy_mj);
  point.cheapest = least_of(answer, point, &SideMetrics::cost_per_hour);
  return point;
}

BoardsRow boards_row(const OffloadAnswer& answer, const PointRuns& runs, std::int64_t boards) {
  const std::size_t streams = answer.streams.size();
  const auto count = static_cast<std::size_t>(boards);
  std::vector<const BoardRun*> all;
  for (std::size_t board = 0; board < count; ++board)
    all.push_back(&runs.edge(streams_of_board(streams, count, board)));
  BoardsRow row{.boards = boards, .metrics = totals_of(all, nullptr)};
  add_cost(row.metrics, boards, answer);
  const std::size_t used = std::min(count, streams);
  double clocks = 0;
  for (std::size_t board = 0; board < used; ++board) clocks += all[board]->gpu_clock_mhz.value_or(0);
  if (clocks > 0) row.gpu_clock_mhz = clocks / static_cast<double>(used);
  for (std::size_t stream = 0; stream < streams; ++stream)
    row.metrics.streams.push_back(all[stream % count]->streams[stream / count]);
  return row;
}

// The grades of both sides' power, and a sentence if it is assumed or a card's.
void add_power_grades(OffloadAnswer& answer, const OffloadQuestion& question) {
  answer.edge_power_grade = scenarios::power_grade(*question.edge_profile);
  answer.cloud_power_grade = scenarios::power_grade(*question.cloud_profile);
  answer.edge_is_card = is_card(*question.edge_profile);
  answer.cloud_is_card = is_card(*question.cloud_profile);
  answer.power_note = power_note(
      {{answer.edge_device, question.edge_profile}, {answer.cloud_device, question.cloud_profile}});
}

void add_power_intervals(OffloadAnswer& answer, const OffloadQuestion& question,
                         const OffloadControl& control) {
  scenarios::RunControl runs;
  runs.interrupt = control.interrupt;
  scenarios::Scenario cloud = question.cloud;
  cloud.link = question.section.link;
  cloud.link->bandwidth = question.section.bandwidths.back();
  cloud.link->rtt = question.section.rtts.front();
  answer.edge_power_interval = relative_power_interval(question.edge, runs);
  answer.cloud_power_interval = relative_power_interval(cloud, runs);
}

// The number of streams that the best option of a point has on the edge, unless it splits the layers.
std::size_t streams_on_edge(const OffloadPoint& point, std::size_t streams) {
  return point.best == Side::edge ? streams : point.best == Side::cloud ? 0 : point.on_edge;
}

// Adds the worst p99 of the best options on boards whose times are `factor` times as long, over the same
// links.
void add_if_slower(OffloadAnswer& answer, const OffloadQuestion& question,
                   const std::vector<dnn::PartitionPoint>& partitions, const OffloadControl& control) {
  const double factor = 1 + *answer.usual_error;
  OffloadQuestion slower = question;
  slower.edge = on_slower_board(question.edge, factor);
  slower.cloud = on_slower_board(question.cloud, factor);
  OffloadSection& section = slower.section;
  section.link = on_slower_board(section.link, factor);
  for (double& bandwidth : section.bandwidths) bandwidth *= factor;
  for (sim::Duration& rtt : section.rtts) rtt = sim::work_in(rtt, 1 / factor);
  const std::size_t streams = answer.streams.size();
  PointRuns runs(slower, control);
  const auto for_each_point = [&](const auto& use) {
    for (std::size_t i = 0; i < answer.points.size(); ++i)
      use(answer.points[i], i / section.rtts.size(), i % section.rtts.size());
  };
  for_each_point([&](const OffloadPoint& point, std::size_t b, std::size_t r) {
    const std::size_t on_edge = streams_on_edge(point, streams);
    if (point.best == Side::layers) return runs.add_tails(point.partition, b, r);
    runs.add_edge(range(0, on_edge));
    if (on_edge < streams) runs.add_cloud(on_edge, b, r);
  });
  runs.run(partitions);
  for_each_point([&](OffloadPoint& point, std::size_t b, std::size_t r) {
    const std::size_t on_edge = streams_on_edge(point, streams);
    const SideMetrics side =
        point.best == Side::layers
            ? head_and_tail(runs.heads(point.partition).board, runs.tails(point.partition, b, r))
            : split_streams(runs.edge(range(0, on_edge)),
                            on_edge < streams ? &runs.cloud(on_edge, b, r) : nullptr);
    if (const scenarios::Metric p99 = side.worst_p99()) point.best_if_slower = *p99 * factor;
  });
  answer.runs += runs.count();
}

}  // namespace

std::string lowest_grade(const OffloadAnswer& answer) {
  std::string grade;
  const auto lower = [&grade](const SideMetrics& side) {
    for (const StreamMetrics& stream : side.streams)
      if (!stream.grade.empty())
        grade = grade.empty() ? stream.grade : scenarios::lower_grade(grade, stream.grade);
  };
  lower(answer.edge);
  for (const OffloadPoint& point : answer.points) lower(point.cloud);
  return grade;
}

const char* to_string(Side side) {
  constexpr std::array<const char*, 4> names{"edge", "cloud", "split", "layers"};
  return names[static_cast<std::size_t>(side)];
}

const SideMetrics& metrics(const OffloadAnswer& answer, const OffloadPoint& point, Side side) {
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
  for (const StreamMetrics& stream : streams) {
    if (!stream.latency_ms.p99) return std::nullopt;  // too few of its requests were answered
    worst = std::max(worst, *stream.latency_ms.p99);
  }
  return worst;
}

OffloadAnswer offload(const OffloadQuestion& question, const OffloadControl& control) {
  const OffloadSection& section = question.section;
  OffloadAnswer answer;
  answer.name = question.edge.name;
  answer.edge_device = question.edge.device;
  answer.cloud_device = question.cloud.device;
  add_power_grades(answer, question);
  if (control.interval) add_power_intervals(answer, question, control);
  answer.link = section.link;
  answer.costs = section.costs;
  answer.prices = section.prices;
  if (!answer.prices.board) answer.prices.board = question.edge_profile->prices.board_usd;
  if (!answer.prices.cloud_per_hour)
    answer.prices.cloud_per_hour = question.cloud_profile->prices.per_hour_usd;
  for (const scenarios::ProcessInstance& instance : scenarios::expand(question.edge)) {
    const scenarios::ProcessEntry& entry = question.edge.processes[instance.entry];
    answer.streams.push_back({instance.index, instance.entry, entry.name,
                              scenarios::model_name(entry.work.model),
                              scenarios::model_name(question.cloud.processes[instance.entry].work.model)});
  }
  const std::size_t streams = answer.streams.size();
  answer.tried = numbers_to_try(streams);

  PointRuns runs(question, control);
  for (const std::size_t on_edge : answer.tried) {
    runs.add_edge(range(0, on_edge));
    if (on_edge == streams) continue;
    for (std::size_t b = 0; b < section.bandwidths.size(); ++b)
      for (std::size_t r = 0; r < section.rtts.size(); ++r) runs.add_cloud(on_edge, b, r);
  }
  for (const std::int64_t boards : section.boards)
    for (std::size_t board = 0; board < static_cast<std::size_t>(boards); ++board)
      runs.add_edge(streams_of_board(streams, static_cast<std::size_t>(boards), board));
  const PartitionPoints partitions = partition_points_of(question);
  answer.layers = partitions.layers;
  answer.why_not_partitioned = partitions.why_none;
  for (const dnn::PartitionPoint& point : partitions.all)
    answer.partitions.push_back({point, request_bytes(question, point), {}, {}});
  for (std::size_t i = 0; i < answer.partitions.size(); ++i)
    for (std::size_t b = 0; b < section.bandwidths.size(); ++b)
      for (std::size_t r = 0; r < section.rtts.size(); ++r) runs.add_tails(i, b, r);
  runs.run(partitions.all);

  answer.runs = runs.count();
  answer.edge = split_streams(runs.edge(range(0, streams)), nullptr);
  add_cost(answer.edge, 1, answer);
  for (std::size_t b = 0; b < section.bandwidths.size(); ++b)
    for (std::size_t r = 0; r < section.rtts.size(); ++r)
      answer.points.push_back(point_at(answer, runs, section, b, r));
  for (std::size_t i = 0; i < answer.partitions.size(); ++i) {
    const HeadRun& heads = runs.heads(i);
    answer.partitions[i].head = split_streams(heads.board, nullptr);
    answer.partitions[i].nearest =
        head_and_tail(heads.board, runs.tails(i, section.bandwidths.size() - 1, 0));
  }
  answer.usual_error = scenarios::usual_error_share(lowest_grade(answer));
  if (answer.usual_error) add_if_slower(answer, question, partitions.all, control);
  add_break_even(answer, section);
  for (const std::int64_t boards : section.boards) answer.boards.push_back(boards_row(answer, runs, boards));
  return answer;
}

}  // namespace jostle::analyses
