// Measured runs simulated with a profile.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "analyses/evidence/run_configuration.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

// What a figure is of, for error tables: "throughput", "latency" (times of kernels and batches), "enqueue",
// "memory traffic", "power" at the input, "power at the plug", "rail power".
[[nodiscard]] std::string quantity_of(const std::string& metric);

// The measured figures of `settings`, simulated with a profile; in their order, setting by setting. Throws
// RunError, Interrupted.
[[nodiscard]] std::vector<std::vector<double>> simulated(const calibration::Profile& profile,
                                                         const std::vector<RunConfiguration>& settings,
                                                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::analyses
