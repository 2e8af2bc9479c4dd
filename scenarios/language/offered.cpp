// The request rates of a scenario. The rate of a cascade follows from its first process.
#include <algorithm>
#include <cmath>

#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {
namespace {

const Offered& offered_to(const Scenario& scenario, PartId id, std::map<PartId, Offered>& known) {
  const auto [at, is_new] = known.try_emplace(id);
  if (!is_new) return at->second;
  const ProcessEntry& process = scenario.processes[id.entry];
  const process::Arrivals& arrivals = parts_of(process)[id.part].arrivals;
  Offered sum;
  switch (arrivals.kind) {
    case process::ArrivalKind::periodic:
    case process::ArrivalKind::poisson:
      sum.per_s =
          arrivals.rate_per_s * static_cast<double>(arrivals.streams * arrivals.burst * process.count);
      break;
    case process::ArrivalKind::cascade:
      for (const std::vector<PartId>& named : parts_named(scenario, arrivals.after)) {
        for (const PartId source : named) {
          const Offered& of = offered_to(scenario, source, known);
          sum.per_s += arrivals.fan_out.mean * of.per_s;
          sum.per_source_image = std::max(sum.per_source_image, arrivals.fan_out.mean * of.per_source_image);
        }
      }
      break;
    case process::ArrivalKind::closed_loop:
    case process::ArrivalKind::trace:
    case process::ArrivalKind::clients:
      break;
  }
  return known[id] = sum;
}

}  // namespace

std::map<PartId, Offered> offered(const Scenario& scenario) {
  std::map<PartId, Offered> all;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry)
    for (std::size_t part = 0; part < parts_of(scenario.processes[entry]).size(); ++part)
      (void)offered_to(scenario, {entry, part}, all);
  return all;
}

sim::Duration default_duration(const Scenario& scenario) {
  constexpr double enough = 500;  // requests: sim::Series::needed(0.99), 368, with a margin for chance
  double seconds = 4;
  for (const ProcessEntry& process : scenario.processes) {
    for (const ProcessEntry& part : parts_of(process)) {
      const process::Arrivals& arrivals = part.arrivals;
      const double per_s = arrivals.rate_per_s * static_cast<double>(arrivals.streams) /
                           static_cast<double>(arrivals.dynamic_batch);
      if (per_s >= least_per_s_for_p99) seconds = std::max(seconds, std::ceil(10 * enough / per_s) / 10);
    }
  }
  return sim::seconds(seconds);
}

}  // namespace jostle::scenarios
