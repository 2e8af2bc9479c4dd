// Simulations of measured runs with a profile.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "calibration/evidence/run_configuration.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::calibration {

// A run of a scenario, which an interruption ends (input/interruption.hpp). Throws RunError, Interrupted.
[[nodiscard]] scenarios::Result simulated(const scenarios::Scenario& scenario,
                                          const profiles::Profile& profile,
                                          scenarios::RunControl control = {});

// Calls `work` as scenarios::parallel_for() does; `progress` gets the share done, by one thread at a time,
// and may throw.
void simulated_at_once(std::size_t count, const std::function<void(std::size_t)>& work,
                       const std::function<void(double)>& progress);

// The quantity of a metric, for error tables: "throughput", "latency" (times of kernels and batches),
// "enqueue", "memory traffic", "memory held", "power" at the input, "power at the plug", "rail power".
[[nodiscard]] std::string quantity_of(const std::string& metric);

// The predictions of the reference values in a run of the configuration.
[[nodiscard]] std::vector<double> predicted_values(const scenarios::Result& result,
                                                   const RunConfiguration& configuration);

// The predictions of the reference values: [configuration][reference value]. Throws RunError, Interrupted.
[[nodiscard]] std::vector<std::vector<double>> simulated(const profiles::Profile& profile,
                                                         const std::vector<RunConfiguration>& configurations,
                                                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::calibration
