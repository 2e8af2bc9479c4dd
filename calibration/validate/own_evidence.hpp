// Validation of any profile with any measurements, split in several ways and compared with naive rules.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "analyses/interval/uncertain_profile.hpp"
#include "calibration/evidence/run_configuration.hpp"
#include "calibration/validate/validate.hpp"

namespace jostle::calibration {

// Groups in this order, without empty groups and without splits that have only one value:
//   all; by number of processes; by mix (the accelerators that run); by network; by power mode; by device;
//   naive rule "equal share": k processes together get the measured throughput of one process alone;
//   naive rule "nearest neighbour": the most similar measured run, with latency scaled by the batch size;
//   naive rule "roofline": operations and bytes of the network over the peaks of the GPU in that mode;
//   repeats: deviations of repeated measurements of a configuration from their mean.
//
// `device`: the name of the device in scenarios, for the roofline. Simulated comparisons state whether the
// 90 % interval contains the measured value.
[[nodiscard]] std::vector<ComparisonGroup> validate_evidence(
    const analyses::UncertainProfile& profile, const std::string& device,
    const std::vector<RunConfiguration>& configurations, const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::calibration
