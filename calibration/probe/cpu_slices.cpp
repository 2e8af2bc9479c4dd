// How long hogs run before another one gets the core, and the tick.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/hogs.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {
namespace {

// A file of the kernel's scheduler, and the parameter that it holds.
struct SchedulerFile {
  std::string_view parameter, name;
  bool is_scaled;  // the kernel multiplies the default by 1 + ilog2(cores, at most 8)
};
constexpr std::array scheduler_files{
    SchedulerFile{"cpu.scheduler.base_slice", "base_slice_ns", true},
    SchedulerFile{"cpu.scheduler.latency", "latency_ns", true},
    SchedulerFile{"cpu.scheduler.min_granularity", "min_granularity_ns", true},
    SchedulerFile{"cpu.scheduler.wakeup_granularity", "wakeup_granularity_ns", true},
    SchedulerFile{"cpu.scheduler.migration_cost", "migration_cost_ns", false},
};

double scaling_of(const MachineFiles& files) {
  const auto online = cpu_numbers(files.line("/sys/devices/system/cpu/online")).size();
  return static_cast<double>(std::bit_width(std::clamp<std::size_t>(online, 1, 8)));
}

// The frequency of the tick, from the times at which stretches begin: of those that kernels use the lowest
// whose period they keep. Absent if they keep none.
std::optional<double> tick_hz(const std::vector<Stretch>& stretches) {
  if (stretches.size() < 20) return std::nullopt;
  for (const double hz : {100.0, 250.0, 300.0, 1000.0}) {
    double x = 0, y = 0;
    for (const Stretch& stretch : stretches) {
      const double angle = 2 * M_PI * std::fmod(1e-9 * static_cast<double>(stretch.start_ns) * hz, 1.0);
      x += std::cos(angle);
      y += std::sin(angle);
    }
    if (std::hypot(x, y) > 0.8 * static_cast<double>(stretches.size())) return hz;
  }
  return std::nullopt;
}

void add_tick(const MachineFiles& files, const std::vector<Stretch>& stretches, Outcome& outcome) {
  const double told = read_identity(files).tick_hz;
  const auto seen = tick_hz(stretches);
  if (seen && told > 0 && *seen != told)
    outcome.problems.push_back(
        fmt::format("the kernel tells a tick of {:g} Hz, but hogs are preempted at {:g} Hz", told, *seen));
  if (told > 0)
    add(outcome, "cpu.scheduler.tick", {1e3 / told, 0, 1}, "ms", "CONFIG_HZ of the kernel");
  else if (seen)
    add(outcome, "cpu.scheduler.tick", {1e3 / *seen, 0.01, stretches.size()}, "ms",
        "the period that the beginnings of hogs' stretches keep");
  else
    outcome.problems.push_back(
        "the tick is not told, and hogs are not preempted at any frequency of kernels");
}

}  // namespace

void measure_slices(const CpuBench& bench, Outcome& outcome) {
  std::string raw = "hogs,hog,start_ns,length_ns\n";
  const MachineFiles files(bench.session.root);
  std::vector<Stretch> of_two;
  for (const int hogs : {2, 3, 4, 6}) {
    bench.session.progress(0.3, fmt::format("slices of {} hogs", hogs));
    const std::vector<Stretch> stretches = run_hogs(bench, hogs, 0.3 + 2 * bench.pace);
    if (bench.session.interrupted) return;
    std::vector<double> lengths;
    for (const Stretch& stretch : stretches) {
      lengths.push_back(1e-6 * static_cast<double>(stretch.length_ns));
      raw += fmt::format("{},{},{},{}\n", hogs, stretch.hog, stretch.start_ns, stretch.length_ns);
    }
    if (hogs == 2) of_two = stretches;
    if (lengths.size() < 3) continue;
    add(outcome, fmt::format("seen.stretch_of_{}_hogs", hogs), median_of(lengths), "ms",
        "time for which a hog keeps a core that others want too");
  }
  add_tick(files, of_two, outcome);
  write_file(bench.session, outcome, "raw/cpu_slices.csv", raw);
}

void read_scheduler_files(const CpuBench& bench, Outcome& outcome) {
  const MachineFiles files(bench.session.root);
  const double scaling = scaling_of(files);
  for (const SchedulerFile& file : scheduler_files) {
    for (const std::string& path : {fmt::format("/sys/kernel/debug/sched/{}", file.name),
                                    fmt::format("/proc/sys/kernel/sched_{}", file.name)}) {
      const auto ns = files.number(path);
      if (!ns || !(*ns > 0)) continue;
      add(outcome, std::string(file.parameter), {1e-3 * *ns / (file.is_scaled ? scaling : 1), 0, 1}, "us",
          fmt::format("{}{}", path,
                      file.is_scaled ? fmt::format(", over the kernel's factor {:g}", scaling) : ""));
      break;
    }
  }
}

}  // namespace jostle::calibration::probe
