// Sentences on everything besides the processes themselves that takes time from them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyses/explain/shares.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// "throttled by its container for 31 ms of every 100", for the process that was throttled most. Empty: none
// was throttled.
[[nodiscard]] std::string held_back(const scenarios::Result& result,
                                    const std::vector<std::size_t>& processes);

// The share of the GPU's turns that each other group of processes has: "each of 2 x yolov8n int8 b1 tensorrt
// takes 31 % of the GPU's turns". A turn includes the kernels and the switch to them.
[[nodiscard]] std::vector<std::string> turns_of_others(const scenarios::Result& result,
                                                       const std::vector<ProcessGroup>& groups,
                                                       const ProcessGroup& than);

// One line for each background load that is present: interrupts, the compositor.
[[nodiscard]] std::vector<std::string> tenants(const scenarios::Result& result);

}  // namespace jostle::analyses
