#include "analyses/plan/load.hpp"

#include <algorithm>

#include "analyses/study/slower.hpp"
#include "sim/time.hpp"

namespace jostle::analyses {
namespace {

using process::ArrivalKind;
using scenarios::ProcessEntry;
using scenarios::Scenario;

void remove_queue_limits(Scenario& scenario) {
  for (ProcessEntry& entry : scenario.processes) {
    entry.arrivals.queue_limit.reset();
    for (ProcessEntry& instance : entry.instances) instance.arrivals.queue_limit.reset();
  }
}

}  // namespace

std::optional<Load> load_of(const Scenario& scenario) {
  std::size_t sources = 0, cascades = 0;
  Load load;
  for (std::size_t i = 0; i < scenario.processes.size(); ++i) {
    for (const ProcessEntry& part : scenarios::parts_of(scenario.processes[i])) {
      if (part.arrivals.waits_for_answers()) continue;
      const bool is_cascade = part.arrivals.kind == ArrivalKind::cascade;
      ++(is_cascade ? cascades : sources);
      if (!is_cascade) load.entry = i;
    }
  }
  if (sources == 0) return std::nullopt;
  const ProcessEntry& entry = scenario.processes[load.entry];
  const process::Arrivals& arrivals = entry.arrivals;
  if (sources + cascades > 1 || !entry.instances.empty() || arrivals.kind == ArrivalKind::trace) return load;
  load.rate_per_s = arrivals.rate_per_s * static_cast<double>(arrivals.burst);
  if (arrivals.kind == ArrivalKind::periodic && arrivals.streams > 1) {
    load.unit = LoadUnit::cameras;
    load.asked = arrivals.streams * entry.count;
  } else if (entry.count > 1) {
    load.unit = LoadUnit::processes;
    load.asked = entry.count;
  }
  return load;
}

Scenario at_load(const Scenario& scenario, const Load& load, std::int64_t count) {
  if (load.unit == LoadUnit::percent) return at_rate(scenario, static_cast<double>(count) / 100);
  Scenario changed = scenario;
  const auto at = changed.processes.begin() + static_cast<std::ptrdiff_t>(load.entry);
  if (load.unit == LoadUnit::processes) {
    at->count = count;
  } else {
    const std::vector<ProcessEntry> spread = spread_cameras(*at, count);
    // Loads keep their places among the entries with a model.
    for (scenarios::LoadEntry& one : changed.loads)
      if (one.behind > load.entry) one.behind += spread.size() - 1;
    changed.processes.insert(changed.processes.erase(at), spread.begin(), spread.end());
  }
  remove_queue_limits(changed);
  return changed;
}

Scenario at_rate(const Scenario& scenario, double factor) {
  Scenario changed = scenario;
  remove_queue_limits(changed);
  bool has_trace = false;
  for (ProcessEntry& entry : changed.processes) {
    for (ProcessEntry& part : scenarios::parts_of(entry)) {
      raise_rate(part.arrivals, factor);
      has_trace |= part.arrivals.kind == ArrivalKind::trace;
    }
  }
  if (has_trace && factor > 1) {
    const auto shorter = [factor](sim::Duration time) {
      return sim::seconds(sim::to_seconds(time) / factor);
    };
    changed.run.duration = shorter(changed.run.duration);
    changed.run.warmup = shorter(changed.run.warmup);
  }
  return changed;
}

std::vector<ProcessEntry> spread_cameras(const ProcessEntry& entry, std::int64_t cameras) {
  std::vector<ProcessEntry> entries;
  const std::int64_t processes = std::min(entry.count, cameras);
  const auto add = [&](std::int64_t count, std::int64_t streams) {
    if (count == 0 || streams == 0) return;
    ProcessEntry& added = entries.emplace_back(entry);
    added.count = count;
    added.arrivals.streams = streams;
  };
  add(cameras % processes, cameras / processes + 1);
  add(processes - cameras % processes, cameras / processes);
  return entries;
}

}  // namespace jostle::analyses
