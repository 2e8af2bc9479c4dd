#include "calibration/fit/time_slicing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "models/gpu/occupancy.hpp"

namespace jostle::calibration {
namespace {

// The number directly after `key` in `text`.
double number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  double number = 0;
  const std::string_view rest = at == std::string_view::npos ? "" : text.substr(at + key.size());
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc{} || !(number > 0))
    throw input::CsvError(
        "sparse launches", 0,
        "configuration '" + std::string(text) + "': no number after '" + std::string(key) + "'");
  return number;
}

// A kernel's timestamps omit about 2 us at its start: this is the error of a gap, or of the kernels of a
// turn.
constexpr double stamp_us = 1;
constexpr double restart_width_us = 2;
constexpr double shortest_kernel_us = 10;  // below this, the omitted time is no longer small
constexpr double longest_kernel_us = 30;
constexpr std::size_t enough_turns = 20;

// Times from the start of each turn to the start of the next.
std::vector<double> periods_of(std::span<const Turn> turns) {
  std::vector<double> periods;
  for (std::size_t i = 1; i < turns.size(); ++i) periods.push_back(turns[i].start_us - turns[i - 1].start_us);
  return periods;
}

// The turns that end by expiry (with few exceptions): their number, total time and kernels.
struct Expiring {
  double turns = 0, us = 0, kernels = 0;
  [[nodiscard]] double period_us() const { return us / turns; }
};
Expiring expiring(std::span<const Turn> turns, double slice_us) {
  Expiring sum;
  const std::vector<double> periods = periods_of(turns);
  for (std::size_t i = 0; i < periods.size(); ++i) {
    if (periods[i] < 0.75 * slice_us || periods[i] > 1.6 * slice_us) continue;
    sum.turns += 1;
    sum.us += periods[i];
    sum.kernels += turns[i].kernels;
  }
  return sum;
}

bool all_alike(const SharingRun& run) {
  const SharingProcess& first = run.processes.front();
  return std::ranges::all_of(run.processes, [&first](const SharingProcess& process) {
    return process.kernel_us == first.kernel_us && process.blocks == first.blocks &&
           process.threads == first.threads && process.graph == first.graph;
  });
}

// The time at a kernel's start that no timestamp covers, derived from the share of expiries that fall between
// the timestamps of two kernels.
double unstamped_us(const SharingRun& run) {
  double between = 0;
  for (std::size_t i = 1; i < run.turns.size(); ++i)
    between += run.turns[i].start_us > run.turns[i - 1].end_us ? 1 : 0;
  return between / static_cast<double>(run.turns.size() - 1) * run.processes.front().kernel_us;
}

// The time of a kernel, from turns shorter than a slice that no other turn prolongs.
double kernel_us(std::span<const Turn> turns, double slice_us, double unstamped) {
  std::vector<double> each;
  for (const Turn& turn : turns)
    if (turn.kernels > 1 && turn.length_us() < 1.01 * slice_us)
      each.push_back((turn.length_us() + unstamped) / turn.kernels);
  return each.empty() ? 0 : median(std::move(each));
}

}  // namespace

std::map<std::string, std::vector<Turn>> turns_of(const input::CsvTable& intervals) {
  std::map<std::string, std::vector<Turn>> all;
  const auto config = intervals.column("config"), process = intervals.column("process"),
             start = intervals.column("start_us"), length = intervals.column("length_us"),
             kernels = intervals.column("kernels");
  for (const input::CsvTable::Row row : intervals) {
    const double begin = row.number(start);
    all[row.text(config)].push_back({.process = static_cast<std::uint32_t>(row.integer(process)),
                                     .start_us = begin,
                                     .end_us = begin + row.number(length),
                                     .kernels = static_cast<int>(row.integer(kernels))});
  }
  for (auto& [name, turns] : all) std::ranges::sort(turns, {}, &Turn::start_us);
  return all;
}

std::vector<SharingRun> sharing_runs(const input::CsvTable& configs, const input::CsvTable& intervals) {
  auto turns = turns_of(intervals);
  std::vector<SharingRun> runs;
  for (const input::CsvTable::Row row : configs) {
    const std::string& config = row.text("config");
    if (!turns.contains(config) && (runs.empty() || runs.back().config != config)) continue;
    if (runs.empty() || runs.back().config != config) {
      runs.push_back({config, {}, std::move(turns.extract(config).mapped())});
    }
    const auto count = [&row](const char* column) {
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(column), 1, 1'000'000'000));
    };
    runs.back().processes.push_back({.kernel_us = row.number("kernel_us"),
                                     .blocks = count("blocks"),
                                     .threads = count("threads"),
                                     .graph = row.text("mode") == "graph"});
  }
  return runs;
}

std::vector<SparseRun> sparse_runs(const input::CsvTable& intervals) {
  std::vector<SparseRun> runs;
  for (auto& [config, turns] : turns_of(intervals)) {
    SparseRun run;
    run.config = config;
    run.beside_dense = config.find("with dense") != std::string::npos;
    run.processes = run.beside_dense ? 2 : static_cast<int>(number_after(config, " P"));
    run.kernel_us = number_after(config, "d");
    run.pace_us = number_after(config, "pace");
    run.blocking = config.find("block") != std::string::npos;
    run.turns = turns;
    runs.push_back(std::move(run));
  }
  return runs;
}

SpinnerEstimates spinners(const input::CsvTable& timeslices) {
  struct Gap {
    double start_us, end_us;
  };
  // The gaps by number of processes and process.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Gap>> gaps;
  for (const input::CsvTable::Row row : timeslices) {
    gaps[{row.integer("processes"), row.integer("process")}].push_back(
        {row.number("gap_start_ns") / 1e3, row.number("gap_end_ns") / 1e3});
  }
  std::vector<double> runs;  // lengths between gaps
  for (auto& [whose, of_one] : gaps) {
    std::ranges::sort(of_one, {}, &Gap::start_us);
    for (std::size_t i = 1; i < of_one.size(); ++i) runs.push_back(of_one[i].start_us - of_one[i - 1].end_us);
  }
  SpinnerEstimates found;
  found.slice = middle(runs);
  if (!found.slice) return found;
  // The distribution is uniform; its extreme samples are disturbed.
  const double n = static_cast<double>(runs.size());
  const double half = (quantile(runs, 0.99) - quantile(runs, 0.01)) / (2 * 0.98);
  if (runs.size() >= enough_turns && half > 0)
    found.slice_jitter = Estimate{half, half / std::sqrt(0.05 * n), runs.size()};
  std::vector<double> switches;
  for (const auto& [whose, of_one] : gaps) {
    const auto processes = static_cast<double>(whose.first);
    for (const Gap& gap : of_one) {
      const double changes = gap.end_us - gap.start_us - (processes - 1) * found.slice->value;
      // There are fewer switches if a process had not yet begun or had already ended.
      if (processes > 1 && changes > 0) switches.push_back(changes / processes);
    }
  }
  found.switch_at_expiry = middle(switches, stamp_us);
  return found;
}

bool all_out_of_work(std::span<const Turn> turns, double slice_us) {
  std::size_t out_of_work = 0;
  for (std::size_t i = 1; i < turns.size(); ++i)
    out_of_work +=
        turns[i - 1].length_us() < 0.97 * slice_us && turns[i].start_us > turns[i - 1].end_us ? 1 : 0;
  return turns.size() > enough_turns &&
         static_cast<double>(out_of_work) >= 0.99 * static_cast<double>(turns.size() - 1);
}

bool all_expire(std::span<const Turn> turns, double slice_us) {
  std::size_t brief = 0, cut = 0;
  for (std::size_t i = 1; i < turns.size(); ++i) {
    brief += turns[i - 1].length_us() < 0.9 * slice_us ? 1 : 0;
    cut += turns[i].start_us < turns[i - 1].end_us ? 1 : 0;  // the expiry was within a kernel
  }
  const auto count = static_cast<double>(turns.size());
  return turns.size() > enough_turns && static_cast<double>(brief) <= 0.05 * count &&
         static_cast<double>(cut) >= 0.5 * count;
}

std::optional<Estimate> out_of_work_switch(const std::vector<SharingRun>& sharing,
                                           const std::vector<SparseRun>& sparse, double slice_us) {
  std::vector<double> gaps;
  const auto add = [&](const std::vector<Turn>& turns) {
    if (!all_out_of_work(turns, slice_us)) return;
    for (std::size_t i = 1; i < turns.size(); ++i)
      if (turns[i].start_us > turns[i - 1].end_us) gaps.push_back(turns[i].start_us - turns[i - 1].end_us);
  };
  for (const SharingRun& run : sharing) add(run.turns);
  for (const SparseRun& run : sparse) add(run.turns);
  return middle(gaps, stamp_us);
}

std::vector<ExpirySwitch> expiry_switches(const std::vector<SharingRun>& sharing,
                                          const std::optional<Estimate>& spinning, const gpu::Spec& gpu,
                                          double slice_us) {
  std::map<double, std::vector<double>> by_state;
  for (const SharingRun& run : sharing) {
    if (!all_alike(run) || !all_expire(run.turns, slice_us)) continue;
    const SharingProcess& process = run.processes.front();
    gpu::Kernel kernel;
    kernel.blocks = process.blocks;
    kernel.threads_per_block = process.threads;
    by_state[gpu::resident_state_bytes(gpu, kernel)].push_back(expiring(run.turns, slice_us).period_us() -
                                                               slice_us);
  }
  std::vector<ExpirySwitch> found;
  if (spinning) found.push_back({0, *spinning});
  for (const auto& [bytes, switches] : by_state)
    if (const auto one = middle(switches, stamp_us); one && one->value > 0) found.push_back({bytes, *one});
  return found;
}

std::optional<Estimate> restart_after_expiry(const std::vector<SharingRun>& sharing, double slice_us) {
  std::vector<const SharingRun*> runs;
  std::vector<double> unstamped;
  for (const SharingRun& run : sharing) {
    if (!all_alike(run) || !run.processes.front().graph || !all_expire(run.turns, slice_us)) continue;
    if (run.processes.front().kernel_us >= shortest_kernel_us) runs.push_back(&run);
    // With long kernels, an expiry between two kernels is rare, and mostly has another cause.
    if (run.processes.front().kernel_us < longest_kernel_us) unstamped.push_back(unstamped_us(run));
  }
  std::vector<double> lost;
  for (const SharingRun* run : runs) {
    const Expiring sum = expiring(run->turns, slice_us);
    const double each = kernel_us(run->turns, slice_us, unstamped.empty() ? 0 : median(unstamped));
    if (each > 0) lost.push_back(slice_us - sum.kernels / sum.turns * each);
  }
  const auto found = middle(lost, restart_width_us);
  return found && found->value > 0 ? found : std::nullopt;
}

}  // namespace jostle::calibration
