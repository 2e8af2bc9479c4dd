// Simulations of measured runs with a profile.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "calibration/evidence/run_configuration.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::calibration {

// The quantity of a metric, for error tables: "throughput", "latency" (times of kernels and batches),
// "enqueue", "memory traffic", "memory held", "power" at the input, "power at the plug", "rail power".
[[nodiscard]] std::string quantity_of(const std::string& metric);

// The predictions of the reference values: [configuration][reference value]. Throws RunError, Interrupted.
[[nodiscard]] std::vector<std::vector<double>> simulated(const profiles::Profile& profile,
                                                         const std::vector<RunConfiguration>& configurations,
                                                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::calibration
