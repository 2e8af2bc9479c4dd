// The shares of processes' time: equal processes together, in percent that sum to 100 as printed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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

// Totals of what a board serves, by unit: images and tokens are never added.
struct UnitTotal {
  std::string_view unit;    // "images", "tokens"
  scenarios::Metric per_s;  // absent if one of the processes has none
};

// Images of networks, and decoded tokens of language models, over all results; a unit that no process has is
// left out.
[[nodiscard]] std::vector<UnitTotal> totals_of(const std::vector<scenarios::Result>& results);

// The parts of the mean latency of a process with stages.

// "an image takes 78.1 ms: GPU and launches 33.4, decode h264 19.6, waiting for a full batch, a turn or a
// core 13, ...", the greatest part first; parts below a twentieth are summed. Empty without stages, without a
// mean latency, and if the parts overlap, so that they are more than the latency.
[[nodiscard]] std::string latency_parts(const scenarios::ProcessResult& process);

// Sentences on everything besides the processes themselves that takes time from them.

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
