// The shares of processes' time: equal processes together, in percent that sum to 100 as printed.
#pragma once

#include <array>
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

// Rounds the shares: each is rounded down, and the missing tenths go to the largest remainders (ties: the
// first). `shares` must sum to more than 0.
[[nodiscard]] Permille rounded(const scenarios::TimeShare& shares);

// Processes that have equal descriptions in the scenario, name included.
struct ProcessGroup {
  std::vector<std::size_t> processes;  // indices, ascending
  std::string label;                   // "4 x resnet50 fp16 b1 cuda-graph"
};
[[nodiscard]] std::vector<ProcessGroup> groups_of(const scenarios::Scenario& scenario);

// The mean over the given processes that have time shares; none if none has.
[[nodiscard]] std::optional<scenarios::TimeShare> mean_share(const scenarios::Result& result,
                                                             const std::vector<std::size_t>& processes);

}  // namespace jostle::analyses
