// The winners, losers and starved among processes if the same work shares the GPU in another way, with
// reasons.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

struct Tried;

// The mean duration of the kernels of a batch, alone on the GPU, in microseconds, for each part of an entry
// that has kernels and fits into memory.
using KernelMeans = std::map<scenarios::PartId, double>;
[[nodiscard]] KernelMeans kernel_means_us(const scenarios::Scenario& scenario,
                                          const profiles::Profile& profile);

// Returns whether processes on the GPU, or on DLAs too, take turns on it.
[[nodiscard]] bool in_turns(const scenarios::Scenario& scenario, bool dlas_too = false);

enum class Fate {
  wins,     // gains 5 % or more; or it keeps up and did not before
  same,     // within 5 %
  loses,    // loses 5 % or more
  starves,  // loses half or more; or it kept up and does not any longer
};
[[nodiscard]] const char* to_string(Fate fate);

// Equal streams or processes of the scenario before the change.
struct GroupOutcome {
  std::string label;               // unique among all groups
  std::vector<std::size_t> parts;  // indices before the change, as in WhatIfBoard
  scenarios::Metric kernel_us;     // mean duration
  // Relative gain of throughput (0 within its noise), or, if `of_latency`, of the inverse of the mean latency
  // (used if requests arrive by themselves and throughput stays the same).
  double gain = 0;
  bool of_latency = false;
  bool kept_up = true, keeps_up = true;  // with its requests: before, and after the change
  Fate fate = Fate::same;
};

struct GroupOutcomes {
  std::vector<GroupOutcome> groups;  // in the order of the scenario; empty: a metric is absent
  // "resnet50 wins (+30.1 %), mobilenet_v2 starves (-78.2 %): each stream gets one kernel a round, ..."
  std::string sentence;
};
// Judges a change that shares the GPU in another way. `before`: the result of the scenario.
[[nodiscard]] GroupOutcomes outcomes_of(const scenarios::Scenario& scenario, const scenarios::Result& before,
                                        const KernelMeans& kernels, const Tried& tried);

}  // namespace jostle::analyses
