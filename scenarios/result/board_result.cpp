#include "scenarios/result/board_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "models/power/energy.hpp"
#include "scenarios/result/ratio.hpp"
#include "sim/contract.hpp"

namespace jostle::scenarios {
namespace {

GpuWindows distribution(const board::GpuWindowShares& metrics, sim::Duration interval) {
  GpuWindows windows{.interval_us = sim::to_us(interval),
                     .samples = static_cast<std::int64_t>(metrics[0].count()),
                     .shares = {}};
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    const sim::ShareHistogram& histogram = metrics[metric];
    WindowShares shares;
    shares.name = board::gpu_window_names[metric];
    shares.mean = histogram.mean();
    shares.max = histogram.maximum();
    for (std::size_t i = 0; i < window_percentiles.size(); ++i)
      shares.percentiles[i] = histogram.quantile(window_percentiles[i] / 100.0);
    for (std::size_t percent = 0; percent <= 100 && histogram.count() > 0; ++percent)
      shares.cdf.push_back(*histogram.at_or_below(percent * sim::ShareHistogram::steps / 100));
    windows.shares.push_back(std::move(shares));
  }
  return windows;
}

constexpr double mb = 1e6;
constexpr const char* no_fit = "out_of_memory";

ProcessMemory memory_of(const memory::Footprint& held) {
  return {.context = held.context / mb,
          .engine = held.engine / mb,
          .arena = held.arena / mb,
          .io = held.io / mb,
          .gpu = held.gpu() / mb};
}

std::string what_lacked(const memory::Place& place) {
  const memory::Footprint& held = place.held;
  return fmt::format(
      "does not fit into memory: {:.0f} MB short, at its {} (context {:.0f}, engine {:.0f}, activations "
      "{:.0f}, inputs and outputs {:.0f} MB)",
      place.missing_bytes / mb, to_string(place.lacking), held.context / mb, held.engine / mb,
      held.arena / mb, held.io / mb);
}

// The relative error that sums of very many terms may have.
constexpr double rounding = 1e-6;

// Shares of time by clock; a name is the clock in MHz: "1344" or "624.75".
NamedParameters shares_of(const board::StateTimes& states, double seconds) {
  NamedParameters shares;
  double sum_s = 0;
  for (const auto& [hz, held_s] : states) {
    shares.emplace_back(fmt::format("{:g}", hz / 1e6), held_s / seconds);
    sum_s += held_s;
  }
  sim::contract(std::abs(sum_s - seconds) <= rounding * seconds,
                "the times at each clock sum to the time of the run");
  return shares;
}

double mean_mhz(const board::StateTimes& states, double seconds) {
  double sum = 0;
  for (const auto& [hz, held_s] : states) sum += hz / 1e6 * held_s;
  return sum / seconds;
}

bool scales(const board::StateTimes& states) {
  return !states.empty() && states.back().first > 0;
}

}  // namespace

SmArray sm_array(const gpu::Usage& used, double elapsed) {
  if (elapsed <= 0) return {};
  const auto share = [elapsed](double seconds) { return seconds / elapsed; };
  return {.sm_active = share(used.sm_active),
          .issue_slot = share(used.busy(used.issue_slot)),
          .tensor_active = share(used.busy(used.tensor_active)),
          .occupancy = share(used.occupancy)};
}

sim::RunEnd run_until(sim::Engine& engine, sim::Time time, std::optional<board::GpuWindows>& windows) {
  while (windows && windows->end() <= time) {
    const sim::RunEnd end = engine.run(windows->end());
    if (engine.now() < windows->end()) return end;
    windows->sample();
  }
  return engine.run(time);
}

void add_windows(Result& result, const board::GpuWindows& windows) {
  std::size_t running = 0;
  for (ProcessResult& process : result.processes)
    if (process.status == "ok")
      process.gpu_windows = distribution(windows.of_process(running++), windows.interval());
  result.system.gpu.windows = distribution(windows.of_board(), windows.interval());
}

void add_memory(Result& result, const memory::Spec& spec, const memory::Occupancy& occupancy) {
  auto& system = result.system.memory;
  system.capacity_mb = spec.capacity_bytes / mb;
  double needed = occupancy.used_bytes;
  for (const memory::Place& place : occupancy.places)
    if (!place.fits) needed += place.held.total();
  system.needed_mb = needed / mb;
  if (!occupancy.rebooted) {
    system.used_mb = occupancy.used_bytes / mb;
    system.gpu_share = occupancy.gpu_bytes / spec.capacity_bytes;
  }
  for (std::size_t i = 0; i < result.processes.size(); ++i) {
    ProcessResult& process = result.processes[i];
    const memory::Place& place = occupancy.places[i];
    if (place.fits && !occupancy.rebooted) {
      process.memory_mb = place.held.total() / mb;
      process.memory = memory_of(place.held);
      continue;
    }
    result.status = process.status = no_fit;
    process.problem = place.fits ? "lost because the board reboots" : what_lacked(place);
    if (!place.fits && occupancy.rebooted) process.problem += "; the board reboots";
  }
}

void add_power(SystemResult& system, const board::PowerReport& report, const power::Spec& spec,
               Metric images) {
  const double seconds = report.seconds;
  if (seconds <= 0) return;
  const double joules = power::sum_of(report.joules);
  system.power_w.mean = joules / seconds;
  system.power_w.peak = report.peak_w;
  if (!spec.input.empty()) {
    system.power_w.rails.emplace_back(spec.input, joules / seconds);
    system.power_w.rail_peaks.emplace_back(spec.input, report.peak_w);
  }
  for (std::size_t i = 0; i < spec.rails.size(); ++i) {
    const power::Rail& rail = spec.rails[i];
    const double on_rail = power::on_rail(rail, report.joules);
    sim::contract(on_rail <= joules * (1 + rounding),
                  "a rail carries no more than the energy of the whole board");
    system.power_w.rails.emplace_back(rail.name, on_rail / seconds);
    system.power_w.rail_peaks.emplace_back(rail.name, report.rail_peak_w[i]);
  }
  for (std::size_t i = 0; i < power::part_count; ++i)
    system.power_w.parts.emplace_back(std::string(power::part_names[i]), report.joules[i] / seconds);
  if (spec.wall) system.power_w.wall = power::at_wall(*spec.wall, joules / seconds);
  if (images) system.energy_per_image_mj = ratio(1e3 * joules, *images);

  if (report.has_temperature) {
    system.temperature_c = report.celsius;
    system.temperature_peak_c = report.peak_celsius;
  }
  for (std::size_t i = 0; i < report.clusters.size(); ++i) {
    system.time_in_state.emplace_back(fmt::format("cpu{}", i), shares_of(report.clusters[i], seconds));
    system.cpu.clock_mhz.push_back(mean_mhz(report.clusters[i], seconds));
  }
  if (scales(report.gpu)) {
    system.time_in_state.emplace_back("gpu", shares_of(report.gpu, seconds));
    system.gpu.clock_mhz = mean_mhz(report.gpu, seconds);
  }
  if (scales(report.emc)) {
    system.time_in_state.emplace_back("emc", shares_of(report.emc, seconds));
    system.memory.clock_mhz = mean_mhz(report.emc, seconds);
  }

  for (std::size_t i = 1; i < power::cause_names.size(); ++i) {
    if (static_cast<power::Cause>(i) == power::Cause::power_limit && !spec.limit) continue;
    system.limited_share.emplace_back(std::string(power::cause_names[i]), report.held_s[i] / seconds);
  }
  name_limit(system);
}

void name_limit(SystemResult& system) {
  constexpr double worth_naming = 0.01;
  double most = worth_naming;
  system.limited_by = "none";
  for (const auto& [name, share] : system.limited_share) {
    if (share < most) continue;
    most = share;
    system.limited_by = name;
  }
}

std::string limit_in_words(std::string name, std::string_view clocks) {
  std::ranges::replace(name, '_', ' ');
  const std::string who = name == "none"           ? "nothing"
                          : name == "thermal"      ? "heat"
                          : name == "over current" ? "the over-current alarm"
                                                   : "the " + name;
  return fmt::format("{} holds {} down", who, clocks);
}

}  // namespace jostle::scenarios
