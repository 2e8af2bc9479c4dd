#include "calibration/evidence/simulated.hpp"

#include <mutex>
#include <utility>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"

namespace jostle::calibration {

scenarios::Result simulated(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                            scenarios::RunControl control) {
  if (control.interrupt == nullptr) control.interrupt = &input::interruption();
  auto result = run(scenario, profile, control);
  if (!result) throw scenarios::Interrupted();
  return *std::move(result);
}

void simulated_at_once(std::size_t count, const std::function<void(std::size_t)>& work,
                       const std::function<void(double)>& progress) {
  std::mutex guard;
  std::size_t done = 0;
  scenarios::parallel_for(count, [&](std::size_t i) {
    work(i);
    const std::lock_guard lock(guard);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(count));
  });
}

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

std::vector<double> predicted_values(const scenarios::Result& result, const RunConfiguration& configuration) {
  std::vector<double> found;
  for (const ReferenceValue& reference : configuration.reference_values)
    found.push_back(predicted(result, reference.metric, configuration));
  return found;
}

std::vector<std::vector<double>> simulated(const profiles::Profile& profile,
                                           const std::vector<RunConfiguration>& configurations,
                                           const std::atomic<bool>* interrupt) {
  std::vector<std::vector<double>> found(configurations.size());
  scenarios::parallel_for(configurations.size(), [&](std::size_t i) {
    found[i] = predicted_values(
        simulated(*configurations[i].scenario, profile, {.interrupt = interrupt, .progress = {}}),
        configurations[i]);
  });
  return found;
}

}  // namespace jostle::calibration
