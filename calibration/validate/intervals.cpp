// The measured turns of synthetic processes. The same kernels are simulated and the same time stamps are
// taken, and one rule extracts the turns from both.

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "calibration/evidence/measured_run.hpp"
#include "calibration/fit/time_slicing.hpp"
#include "calibration/validate/validate.hpp"
#include "input/csv.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"
#include "sim/engine.hpp"

namespace jostle::calibration {
namespace {

using calibration::SparseRun;
using calibration::Turn;
using input::CsvTable;
using profiles::TraceFiles;
using profiles::TraceKind;

// The time from the start of a kernel to its first stamp. In the evidence, 38 % of the slice expiries fall
// between the stamps of two kernels of 5 us, 8 % for 20 us and 3 % for 100 us, so each kernel has a fixed
// time that no stamp covers. (For kernels launched one by one it is the front-end time,
// RuntimeSpec::gpu_per_launch.)
const sim::Duration first_stamp = sim::microseconds(1.9);

struct Stamp {
  std::uint32_t process;
  double start_us, end_us;
};

// Extracts turns by the rule of the evidence: with kernels sorted by start, an interval is a sequence of
// kernels of one process.
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

constexpr int min_gaps = 5;

// The metrics that are compared for a configuration.
struct TurnMetrics {
  double kernels_per_s = 0;
  double mean_turn_us = 0;
  double mean_gap_us = 0;  // over positive gaps; 0 if fewer than min_gaps
};

TurnMetrics metrics_of(const std::vector<Turn>& intervals) {
  TurnMetrics metrics;
  if (intervals.size() < 3) return metrics;
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
  metrics.mean_turn_us = turns / static_cast<double>(intervals.size());
  metrics.mean_gap_us = positive >= min_gaps ? gaps / positive : 0;
  // The rate runs from the start of the first to the start of the last interval, without the kernels of the
  // last.
  metrics.kernels_per_s =
      (kernels - intervals.back().kernels) / (intervals.back().start_us - intervals.front().start_us) * 1e6;
  return metrics;
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

// Simulates the synthetic processes and returns the turns in `window` after `warmup`.
std::vector<Turn> simulate(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                           sim::Duration warmup, sim::Duration window, sim::Duration stamp) {
  const scenarios::Assembly assembly = scenarios::assemble(scenario, profile);
  sim::Engine engine;
  board::Board board(engine, assembly.device, assembly.setup);
  Recorder recorder{
      .stamps = {}, .from = sim::Time::zero() + warmup, .to = sim::Time::zero() + warmup + window};
  board.gpu().set_observer({&Recorder::finished, &recorder, stamp});
  // The run continues past the window, so that kernels that started in it end.
  engine.run(recorder.to + sim::milliseconds(100));
  return intervals_of(std::move(recorder.stamps));
}

// The slice from measurements in the files, if any, so that measured turns do not depend on the slice of the
// profile.
double measured_slice_us(const profiles::TraceFiles& files, const profiles::Profile& profile) {
  if (files.has(profiles::TraceKind::timeslices)) {
    if (const auto slice = calibration::spinners(files.table(profiles::TraceKind::timeslices)).slice)
      return slice->value;
  }
  return sim::to_us(profile.spec->gpu.time_slicing.slice);
}

// The real duration of a kernel of the process: the median over the turns that are not extended by
// preemption. (It spins for a number of cycles, but blocks that share an SM slow each other down.)
double kernel_us(const std::vector<Turn>& intervals, std::uint32_t process, double requested_us,
                 double slice_us) {
  std::vector<double> each;
  for (const Turn& interval : intervals) {
    const double length = interval.end_us - interval.start_us;
    if (interval.process == process && interval.kernels > 1 && length < 1.00915 * slice_us)
      each.push_back(length / interval.kernels);
  }
  if (each.empty()) {
    // All turns are extended: divide the slice by the kernels per turn.
    double kernels = 0, turns = 0;
    for (const Turn& interval : intervals)
      if (interval.process == process) kernels += interval.kernels, ++turns;
    return turns > 2 ? 0.9905 * slice_us * turns / kernels : requested_us * 0.9934;
  }
  std::nth_element(each.begin(), each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2), each.end());
  return each[each.size() / 2];
}

void compare(ComparisonGroup& group, const std::string& config, const TurnMetrics& measured,
             const TurnMetrics& predicted, double measured_rate) {
  group.comparisons.push_back({config, "batches/s", measured_rate, predicted.kernels_per_s});
  group.comparisons.push_back({config, "mean turn", measured.mean_turn_us, predicted.mean_turn_us});
  if (measured.mean_gap_us > 0 && predicted.mean_gap_us > 0)
    group.comparisons.push_back({config, "mean gap", measured.mean_gap_us, predicted.mean_gap_us});
}

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

ComparisonGroup compare_sharing_intervals(const profiles::Profile& profile,
                                          const profiles::TraceFiles& files) {
  ComparisonGroup group = groups_of("intervals").front();
  const input::CsvTable& configs = files.table(profiles::TraceKind::sharing_configs);
  const auto measured = calibration::turns_of(files.table(profiles::TraceKind::sharing_intervals));
  const double slice_us = measured_slice_us(files, profile);
  for (std::size_t i = 0; i < configs.rows();) {
    const std::string config = configs.row(i).text(configs.column("config"));
    scenarios::Scenario scenario = synthetic_scenario();
    double rate = 0;  // kernels/s, from the hosts' reports
    const auto found = measured.find(config);
    for (; i < configs.rows() && configs.row(i).text(configs.column("config")) == config; ++i) {
      const auto row = configs.row(i);
      const auto process = static_cast<std::uint32_t>(row.integer("process"));
      scenarios::ProcessEntry entry;
      const auto kernels = row.integer("kernels_per_batch");
      const double requested_us = row.number("kernel_us");
      const bool graph = row.text("mode") == "graph";
      entry.work.model = scenarios::SyntheticModel{
          .kernels = kernels,
          .duration = sim::microseconds(graph && found != measured.end()
                                            ? kernel_us(found->second, process, requested_us, slice_us)
                                            : requested_us * 0.9934),
          .blocks = static_cast<std::uint32_t>(row.integer("blocks")),
          .threads = static_cast<std::uint32_t>(row.integer("threads")),
          .pace = {}};
      // The program is plain CUDA: its launches cost the same as those of TensorRT.
      entry.host.runtime = graph ? scenarios::Runtime::cuda_graph : scenarios::Runtime::tensorrt;
      entry.host.sync = row.text("sync") == "spin" ? scenarios::Sync::spin : scenarios::Sync::blocking;
      entry.host.cpus = {static_cast<int>(process)};  // each process has its own core
      scenario.processes.push_back(entry);
      rate += number_after(row.text("host_report"), "per_s ") * static_cast<double>(kernels);
    }
    const auto intervals =
        simulate(scenario, profile, sim::milliseconds(20), sim::milliseconds(280), first_stamp);
    if (scenario.processes.size() == 1) {  // a lone process has one interval: only its rate is compared
      const Turn& only = intervals.front();
      group.comparisons.push_back(
          {config, "batches/s", rate, only.kernels / (only.end_us - only.start_us) * 1e6});
      continue;
    }
    if (found == measured.end()) continue;
    compare(group, config, metrics_of(found->second), metrics_of(intervals), rate);
  }
  return group;
}

ComparisonGroup compare_sparse_launches(const profiles::Profile& profile, const profiles::TraceFiles& files) {
  ComparisonGroup group = groups_of("sparse").front();
  for (const SparseRun& run : calibration::sparse_runs(files.table(profiles::TraceKind::sparse_launches))) {
    scenarios::Scenario scenario = synthetic_scenario();
    for (int i = 0; i < run.processes; ++i) {
      scenarios::ProcessEntry entry;
      scenarios::SyntheticModel model{
          .kernels = 200, .duration = {}, .blocks = 132, .threads = 256, .pace = {}};
      const bool dense = run.beside_dense && i == 1;
      model.duration = sim::microseconds((dense ? 20 : run.kernel_us) * 0.9934);
      model.pace = dense ? sim::Duration::zero() : sim::microseconds(run.pace_us);
      entry.work.model = model;
      entry.host.runtime = scenarios::Runtime::eager;
      entry.host.sync = run.blocking ? scenarios::Sync::blocking : scenarios::Sync::spin;
      entry.host.cpus = {i};
      scenario.processes.push_back(entry);
    }
    // Only the second half of the recording is compared.
    const std::vector<Turn>& all = run.turns;
    const std::vector<Turn> late(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    const sim::Duration begin = sim::microseconds(late.front().start_us);
    const sim::Duration window = sim::microseconds(late.back().start_us - late.front().start_us);
    const auto intervals = simulate(scenario, profile, begin, std::max(window, sim::milliseconds(50)), {});
    const TurnMetrics before = metrics_of(late), after = metrics_of(intervals);
    compare(group, run.config, before, after, before.kernels_per_s);
  }
  return group;
}

}  // namespace jostle::calibration
