#include "analyses/verdict/slower.hpp"

#include <algorithm>
#include <string_view>

#include "analyses/metrics/metric.hpp"

namespace jostle::analyses {
namespace {

void divide(sim::Duration& time, double factor) {
  time = sim::seconds(sim::to_seconds(time) / factor);
}

void hasten(scenarios::ProcessEntry& part, double factor) {
  process::Arrivals& arrivals = part.arrivals;
  raise_rate(arrivals, factor);
  divide(arrivals.think, factor);
  if (arrivals.phase) divide(*arrivals.phase, factor);
  if (arrivals.max_delay) divide(*arrivals.max_delay, factor);
  if (part.language) divide(part.language->spec.sessions.think, factor);
}

}  // namespace

void raise_rate(process::Arrivals& arrivals, double factor) {
  arrivals.rate_per_s *= factor;
  const auto sooner = [factor](sim::Time& time) {
    time = sim::Time::zero() + sim::seconds(sim::to_seconds(time - sim::Time::zero()) / factor);
  };
  std::ranges::for_each(arrivals.times, sooner);
  std::ranges::for_each(arrivals.since, sooner);
}

scenarios::Link on_slower_board(scenarios::Link link, double factor) {
  link.bandwidth *= factor;
  divide(link.rtt, factor);
  divide(link.jitter, factor);
  return link;
}

scenarios::Scenario on_slower_board(const scenarios::Scenario& scenario, double factor) {
  scenarios::Scenario seen = scenario;
  for (scenarios::ProcessEntry& entry : seen.processes)
    for (scenarios::ProcessEntry& part : scenarios::parts_of(entry)) hasten(part, factor);
  for (scenarios::LoadEntry& load : seen.loads)
    if (load.bandwidth) *load.bandwidth *= factor;
  if (seen.link) seen.link = on_slower_board(*seen.link, factor);
  if (seen.compositor) seen.compositor->rate *= factor;
  divide(seen.run.duration, factor);
  divide(seen.run.warmup, factor);
  if (seen.run.until) divide(seen.run.until->max, factor);
  return seen;
}

double in_scenario_time(const std::string& metric, double value, double factor) {
  const std::string_view unit = metric_unit(metric).name;
  if (unit.ends_with("/s")) return value / factor;
  return unit == "ms" || unit == "us" || unit == "mJ" ? value * factor : value;
}

}  // namespace jostle::analyses
