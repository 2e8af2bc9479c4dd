// What besides the processes themselves takes time from them, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// "throttled by its container for 31 ms of every 100": of the process that was held back most. Empty: none
// was.
[[nodiscard]] std::string held_back(const scenarios::Result& result,
                                    const std::vector<std::size_t>& processes);

// A line each: interrupts, the compositor; those that there are.
[[nodiscard]] std::vector<std::string> tenants(const scenarios::Result& result);

}  // namespace jostle::analyses
