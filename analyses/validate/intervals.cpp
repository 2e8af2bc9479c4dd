// The measured turns of synthetic processes: the same kernels simulated, the same stamps taken, and intervals
// of ownership extracted from both by the same rule.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>

#include "analyses/validate/validate.hpp"
#include "calibration/fit/time_slicing.hpp"
#include "calibration/fit/turns.hpp"
#include "calibration/profile/profile.hpp"
#include "calibration/readers/csv.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"
#include "sim/engine.hpp"

namespace jostle::analyses {

namespace {

using calibration::CsvTable;
using calibration::SparseRun;
using calibration::TraceFiles;
using calibration::TraceKind;
using calibration::Turn;

// From the start of a kernel to its first stamp. Of the expiries in the evidence, 38 % fall between the
// stamps of two kernels of 5 us, 8 % of 20 us and 3 % of 100 us: a fixed time of each kernel that no stamp
// covers. (Kernels launched one by one show the like as front-end time, RuntimeSpec::gpu_per_launch.)
const sim::Duration first_stamp = sim::microseconds(1.9);

struct Stamp {
  std::uint32_t process;
  double start_us, end_us;
};

// The rule of the evidence: kernels in the order of their starts; an interval is a row of one process's
// kernels.
std::vector<Turn> intervals_of(std::vector<Stamp> stamps) {
  std::sort(stamps.begin(), stamps.end(),
            [](const Stamp& a, const Stamp& b) { return a.start_us < b.start_us; });
  std::vector<Turn> intervals;
  for (const Stamp& stamp : stamps) {
    if (intervals.empty() || intervals.back().process != stamp.process)
      intervals.push_back({stamp.process, stamp.start_us, stamp.end_us, 0});
    Turn& last = intervals.back();
    last.end_us = std::max(last.end_us, stamp.end_us);
    ++last.kernels;
  }
  return intervals;
}

// What is compared of a configuration.
constexpr int enough_gaps = 5;

struct Figures {
  double kernels_per_s = 0;
  double mean_turn_us = 0;
  double mean_gap_us = 0;  // over positive gaps; 0 if there are fewer than enough_gaps
};

Figures figures_of(const std::vector<Turn>& intervals) {
  Figures figures;
  if (intervals.size() < 3) return figures;
  double turns = 0, gaps = 0, kernels = 0;
  int positive = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    turns += intervals[i].end_us - intervals[i].start_us;
    kernels += intervals[i].kernels;
    if (i == 0) continue;
    const double gap = intervals[i].start_us - intervals[i - 1].end_us;
    if (gap > 0) {
      gaps += gap;
      ++positive;
    }
  }
  figures.mean_turn_us = turns / static_cast<double>(intervals.size());
  figures.mean_gap_us = positive >= enough_gaps ? gaps / positive : 0;
  // Starts of the first and the last interval: the last one's kernels do not count.
  figures.kernels_per_s =
      (kernels - intervals.back().kernels) / (intervals.back().start_us - intervals.front().start_us) * 1e6;
  return figures;
}

struct Recorder {
  std::vector<Stamp> stamps;
  sim::Time from, to;
  static void finished(void* self, gpu::ContextId owner, sim::Time start, sim::Time end) {
    auto& recorder = *static_cast<Recorder*>(self);
    if (start < recorder.from || start > recorder.to) return;
    recorder.stamps.push_back(
        {owner.index, sim::to_us(start - sim::Time::zero()), sim::to_us(end - sim::Time::zero())});
  }
};

// The synthetic processes for `window` of time after `warmup`, kernels stamped.
std::vector<Turn> simulate(const scenarios::Scenario& scenario, const calibration::Profile& profile,
                           sim::Duration warmup, sim::Duration window, sim::Duration stamp) {
  const scenarios::Assembly assembly = scenarios::assemble(scenario, profile);
  sim::Engine engine;
  board::Board board(engine, assembly.device, assembly.setup);
  Recorder recorder{
      .stamps = {}, .from = sim::Time::zero() + warmup, .to = sim::Time::zero() + warmup + window};
  board.gpu().set_observer({&Recorder::finished, &recorder, stamp});
  // On past the window, so that kernels that began in it end.
  engine.run(recorder.to + sim::milliseconds(100));
  return intervals_of(std::move(recorder.stamps));
}

// As the files tell it, so that a measured turn is not judged by the profile's slice.
double measured_slice_us(const TraceFiles& files, const calibration::Profile& profile) {
  if (files.has(TraceKind::timeslices)) {
    if (const auto slice = calibration::spinners(files.table(TraceKind::timeslices)).slice)
      return slice->value;
  }
  return sim::to_us(profile.spec.gpu.time_slicing.slice);
}

// How long a kernel of the process really took: the median over its turns that are not drawn out by
// another's. (It was asked to spin for so many cycles; blocks that share an SM slow each other down.)
double kernel_us(const std::vector<Turn>& intervals, std::uint32_t process, double asked_us,
                 double slice_us) {
  std::vector<double> each;
  for (const Turn& interval : intervals) {
    const double length = interval.end_us - interval.start_us;
    if (interval.process == process && interval.kernels > 1 && length < 1.00915 * slice_us)
      each.push_back(length / interval.kernels);
  }
  if (each.empty()) {
    // Every turn is drawn out: as many kernels as a turn holds, by its length.
    double kernels = 0, turns = 0;
    for (const Turn& interval : intervals)
      if (interval.process == process) kernels += interval.kernels, ++turns;
    return turns > 2 ? 0.9905 * slice_us * turns / kernels : asked_us * 0.9934;
  }
  std::nth_element(each.begin(), each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2), each.end());
  return each[each.size() / 2];
}

void compare(ComparisonGroup& group, const std::string& config, const Figures& measured,
             const Figures& predicted, double measured_rate) {
  group.comparisons.push_back({config, "batches/s", measured_rate, predicted.kernels_per_s});
  group.comparisons.push_back({config, "mean turn", measured.mean_turn_us, predicted.mean_turn_us});
  if (measured.mean_gap_us > 0 && predicted.mean_gap_us > 0)
    group.comparisons.push_back({config, "mean gap", measured.mean_gap_us, predicted.mean_gap_us});
}

const std::vector<Bound> interval_bounds{
    {"batches/s", 0.02, Judged::each}, {"mean turn", 0.05, Judged::each}, {"mean gap", 0.10, Judged::each}};

// The number in `text` after `key`.
double number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) throw std::runtime_error("no number after " + std::string(key));
  return std::stod(std::string(text.substr(at + key.size())));
}

scenarios::Scenario synthetic_scenario() {
  scenarios::Scenario scenario;
  scenario.device = "nvidia-h200";
  return scenario;
}

}  // namespace

ComparisonGroup compare_sharing_intervals(const calibration::Profile& profile, const TraceFiles& files) {
  ComparisonGroup group{"turns of synthetic processes",
                        "sharing_configs.csv, sharing_intervals.csv",
                        "lengths as stamped: a preempted kernel spans the others' turns",
                        {},
                        interval_bounds};
  const CsvTable& configs = files.table(TraceKind::sharing_configs);
  const auto measured = calibration::turns_of(files.table(TraceKind::sharing_intervals));
  const double slice_us = measured_slice_us(files, profile);
  for (std::size_t i = 0; i < configs.rows();) {
    const std::string config = configs.row(i).text(configs.column("config"));
    scenarios::Scenario scenario = synthetic_scenario();
    double rate = 0;  // kernels/s, as the hosts reported it
    const auto found = measured.find(config);
    for (; i < configs.rows() && configs.row(i).text(configs.column("config")) == config; ++i) {
      const auto row = configs.row(i);
      const auto process = static_cast<std::uint32_t>(row.integer(configs.column("process")));
      scenarios::ProcessEntry entry;
      const auto kernels = row.integer(configs.column("kernels_per_batch"));
      const double asked = row.number(configs.column("kernel_us"));
      const bool graph = row.text(configs.column("mode")) == "graph";
      entry.model = scenarios::SyntheticModel{
          .kernels = kernels,
          .duration = sim::microseconds(graph && found != measured.end()
                                            ? kernel_us(found->second, process, asked, slice_us)
                                            : asked * 0.9934),
          .blocks = static_cast<std::uint32_t>(row.integer(configs.column("blocks"))),
          .threads = static_cast<std::uint32_t>(row.integer(configs.column("threads"))),
          .pace = {}};
      // A plain CUDA program: its launches cost what TensorRT's do.
      entry.runtime = graph ? scenarios::Runtime::cuda_graph : scenarios::Runtime::tensorrt;
      entry.sync =
          row.text(configs.column("sync")) == "spin" ? scenarios::Sync::spin : scenarios::Sync::blocking;
      entry.cpus = {static_cast<int>(process)};  // each on its own core
      scenario.processes.push_back(entry);
      rate += number_after(row.text(configs.column("host_report")), "per_s ") * static_cast<double>(kernels);
    }
    const auto intervals =
        simulate(scenario, profile, sim::milliseconds(20), sim::milliseconds(280), first_stamp);
    if (scenario.processes.size() == 1) {  // alone: one interval, only the rate tells
      const Turn& only = intervals.front();
      group.comparisons.push_back(
          {config, "batches/s", rate, only.kernels / (only.end_us - only.start_us) * 1e6});
      continue;
    }
    if (found == measured.end()) continue;
    compare(group, config, figures_of(found->second), figures_of(intervals), rate);
  }
  return group;
}

ComparisonGroup compare_sparse_launches(const calibration::Profile& profile, const TraceFiles& files) {
  ComparisonGroup group{"turns of processes that launch kernel by kernel",
                        "sparse_launch_intervals.csv",
                        "the first turns of each run, while piles build up, left out on both sides",
                        {},
                        interval_bounds};
  for (const SparseRun& run : calibration::sparse_runs(files.table(TraceKind::sparse_launches))) {
    scenarios::Scenario scenario = synthetic_scenario();
    for (int i = 0; i < run.processes; ++i) {
      scenarios::ProcessEntry entry;
      scenarios::SyntheticModel model{
          .kernels = 200, .duration = {}, .blocks = 132, .threads = 256, .pace = {}};
      const bool dense = run.beside_dense && i == 1;
      model.duration = sim::microseconds((dense ? 20 : run.kernel_us) * 0.9934);
      model.pace = dense ? sim::Duration::zero() : sim::microseconds(run.pace_us);
      entry.model = model;
      entry.runtime = scenarios::Runtime::eager;
      entry.sync = run.blocking ? scenarios::Sync::blocking : scenarios::Sync::spin;
      entry.cpus = {i};
      scenario.processes.push_back(entry);
    }
    // The second half of what was recorded.
    const std::vector<Turn>& all = run.turns;
    const std::vector<Turn> late(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    const sim::Duration begin = sim::microseconds(late.front().start_us);
    const sim::Duration window = sim::microseconds(late.back().start_us - late.front().start_us);
    const auto intervals = simulate(scenario, profile, begin, std::max(window, sim::milliseconds(50)), {});
    const Figures before = figures_of(late), after = figures_of(intervals);
    compare(group, run.config, before, after, before.kernels_per_s);
  }
  return group;
}

}  // namespace jostle::analyses
