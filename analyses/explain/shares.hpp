// Where the time of processes went: equal processes together, in percent that sum to 100 as printed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::analyses {

// Tenths of a percent, by index_of(share); they sum to exactly 1000.
using Permille = std::array<int, process::share_count>;

// The nearest such figures: each rounded down, and what is missing to the largest remainders (of equals the
// first). `shares` must sum to more than 0.
[[nodiscard]] Permille rounded(const scenarios::TimeShare& shares);

// Processes that the scenario describes in the same words, name included.
struct ProcessGroup {
  std::vector<std::size_t> processes;  // indices, ascending
  std::string label;                   // "4 x resnet50 fp16 b1 cuda-graph"
};
[[nodiscard]] std::vector<ProcessGroup> groups_of(const scenarios::Scenario& scenario);

// The mean over some processes (those that have figures); none if none has.
[[nodiscard]] std::optional<scenarios::TimeShare> mean_share(const scenarios::Result& result,
                                                             const std::vector<std::size_t>& processes);

}  // namespace jostle::analyses
