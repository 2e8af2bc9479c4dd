#include "calibration/evidence/simulated.hpp"

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

std::string quantity_of(const std::string& metric) {
  if (metric == "throughput" || metric == "enqueue" || metric == "power") return metric;
  if (metric == "power_wall") return "power at the plug";
  switch (kind_of(metric)) {
    case MetricKind::power:
      return "rail power";
    case MetricKind::memory:
      return "memory held";
    case MetricKind::traffic:
      return "memory traffic";
    default:
      return "latency";
  }
}

std::vector<std::vector<double>> simulated(const profiles::Profile& profile,
                                           const std::vector<RunConfiguration>& configurations,
                                           const std::atomic<bool>* interrupt) {
  std::vector<std::vector<double>> found(configurations.size());
  scenarios::parallel_for(configurations.size(), [&](std::size_t i) {
    const auto result = run(*configurations[i].scenario, profile,
                            scenarios::RunControl{.interrupt = interrupt, .trace = nullptr, .progress = {}});
    if (!result) throw scenarios::Interrupted();
    for (const ReferenceValue& reference : configurations[i].reference_values)
      found[i].push_back(predicted(*result, reference.metric, configurations[i]));
  });
  return found;
}

}  // namespace jostle::calibration
