// The effect of a change on the mean clocks, and whether a governor caused it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"
#include "input/counted.hpp"

namespace jostle::analyses {
namespace {

constexpr double least_move = 0.01;  // relative change of a clock that is worth naming
constexpr double least_fall = 0.05;  // least relative fall of a clock that explains ...
constexpr double least_rise = 0.05;  // ... a relative rise of latency of at least this

// Mean clocks in MHz by the names of time_in_state.
std::vector<std::pair<std::string, scenarios::Metric>> clocks_of(const scenarios::SystemResult& system) {
  std::vector<std::pair<std::string, scenarios::Metric>> clocks;
  clocks.emplace_back("gpu", system.gpu.clock_mhz);
  clocks.emplace_back("emc", system.memory.clock_mhz);
  for (std::size_t i = 0; i < system.cpu.clock_mhz.size(); ++i)
    clocks.emplace_back(fmt::format("cpu{}", i), system.cpu.clock_mhz[i]);
  return clocks;
}

bool is_governed(const Governed& governed, std::string_view domain) {
  return domain == "gpu" ? governed.gpu : domain == "emc" ? governed.emc : governed.cpu;
}

// Returns whether a limit on power, current or heat may have lowered a clock.
bool is_limited(const scenarios::Result& result) {
  return std::ranges::any_of(result.system.limited_share, [](const auto& share) {
    return share.first != "power_mode" && share.second > 0;
  });
}

enum class Mover { governor_down, governor_up, change };

Mover mover_of(const ClockChange& clock) {
  if (!clock.by_governor) return Mover::change;
  return *clock.mhz.after < *clock.mhz.before ? Mover::governor_down : Mover::governor_up;
}

// "GPU clock". Clusters whose clocks change alike are named together as the CPU.
std::string in_words(const ClockChange& clock, const std::vector<ClockChange>& all) {
  if (clock.domain == "gpu") return "GPU clock";
  if (clock.domain == "emc") return "EMC clock";
  const bool apart = std::ranges::any_of(all, [&](const ClockChange& other) {
    return other.domain.starts_with("cpu") &&
           (other.mhz.before != clock.mhz.before || other.mhz.after != clock.mhz.after);
  });
  return apart ? "clock of CPU cluster " + clock.domain.substr(3) : "CPU clock";
}

// "the governor lowered the GPU clock from 353 to 306 MHz"; empty if `mover` moved no clock.
std::string moved(const std::vector<ClockChange>& clocks, Mover mover) {
  std::vector<std::string> names;
  for (const ClockChange& clock : clocks) {
    if (std::abs(clock.mhz.relative().value_or(0)) <= least_move || mover_of(clock) != mover) continue;
    std::string name = fmt::format("the {} from {:.0f} to {:.0f} MHz", in_words(clock, clocks),
                                   *clock.mhz.before, *clock.mhz.after);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  if (names.empty()) return {};
  if (mover == Mover::change) return "it moves " + input::listed(names);
  return fmt::format("the governor{} {} {}", names.size() > 1 ? "s" : "",
                     mover == Mover::governor_down ? "lowered" : "raised", input::listed(names));
}

// Compares batch sizes before and after: a larger batch takes longer at any clock.
bool equal_batches(const Tried& tried, const scenarios::Result& before) {
  const std::vector<Part> from = parts_in(before);
  for (std::size_t board = 0; board < tried.results.size(); ++board) {
    const std::vector<Part> parts = parts_in(tried.results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].batch() != from[tried.what_if.boards[board].parts[i]].batch()) return false;
  }
  return true;
}

// The largest relative rise of a metric among the processes that exist before and after.
double largest_rise(const Tried& tried, Change ProcessChange::*metric) {
  double rise = 0;
  for (const ProcessChange& process : tried.processes)
    rise = std::max(rise, (process.*metric).relative().value_or(0));
  return rise;
}

// ", seeing less load: so the p99 rises by 36.7 %" if a governor's lower clocks make latency rise.
std::string consequence(const Tried& tried, const scenarios::Result& before) {
  const bool fell = std::ranges::any_of(tried.clocks, [](const ClockChange& clock) {
    return clock.by_governor && clock.mhz.relative().value_or(0) <= -least_fall;
  });
  if (!fell || !equal_batches(tried, before)) return {};
  const double p99 = tried.p99_ms.relative().value_or(0);
  if (std::min(p99, largest_rise(tried, &ProcessChange::p99_ms)) >= least_rise)
    return fmt::format(", seeing less load: so the p99 rises by {:.1f} %", 100 * p99);
  const double mean = tried.latency_ms.relative().value_or(0);
  if (std::min(mean, largest_rise(tried, &ProcessChange::latency_ms)) >= least_rise)
    return fmt::format(", seeing less load: so the mean latency rises by {:.1f} %", 100 * mean);
  return {};
}

}  // namespace

std::vector<ClockChange> clock_changes(const scenarios::Result& before,
                                       const std::vector<scenarios::Result>& after,
                                       const Governed& governed) {
  std::vector<ClockChange> changes;
  const bool limited = is_limited(before) || std::ranges::any_of(after, is_limited);
  for (const auto& [domain, mhz] : clocks_of(before.system)) {
    double sum = 0, boards = 0;
    for (const scenarios::Result& result : after)
      for (const auto& [name, then] : clocks_of(result.system))
        if (name == domain && then) sum += *then, ++boards;
    if (!mhz || boards == 0) continue;
    changes.push_back({.domain = domain,
                       .mhz = {mhz, sum / boards, std::nullopt},
                       .by_governor = is_governed(governed, domain) && !limited});
  }
  return changes;
}

std::string clocks_sentence(const Tried& tried, const scenarios::Result& before) {
  std::vector<std::string> parts;
  for (const Mover mover : {Mover::change, Mover::governor_up, Mover::governor_down})
    if (std::string part = moved(tried.clocks, mover); !part.empty()) parts.push_back(std::move(part));
  return fmt::format("{}{}", fmt::join(parts, "; "), consequence(tried, before));
}

}  // namespace jostle::analyses
