// What besides the processes themselves takes time from them, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyses/explain/shares.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// "throttled by its container for 31 ms of every 100": of the process that was held back most. Empty: none
// was.
[[nodiscard]] std::string held_back(const scenarios::Result& result,
                                    const std::vector<std::size_t>& processes);

// What of the GPU's turns each other group of processes has: "each of 2 x yolov8n int8 b1 tensorrt takes 31 %
// of the GPU's turns". Of what counts as a turn: kernels, and the switch to them.
[[nodiscard]] std::vector<std::string> turns_of_others(const scenarios::Result& result,
                                                       const std::vector<ProcessGroup>& groups,
                                                       const ProcessGroup& than);

// A line each: interrupts, the compositor; those that there are.
[[nodiscard]] std::vector<std::string> tenants(const scenarios::Result& result);

}  // namespace jostle::analyses
