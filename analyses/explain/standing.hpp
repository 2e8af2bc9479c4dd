// Who wins, who loses and who starves as the same work shares the GPU in another way, and why.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

struct Tried;

// Mean duration of the kernels of a batch, alone on the GPU, in microseconds: of each part of an entry that
// has kernels and fits into memory.
using KernelMeans = std::map<scenarios::PartId, double>;
[[nodiscard]] KernelMeans kernel_means_us(const scenarios::Scenario& scenario,
                                          const calibration::Profile& profile);

// Whether processes take turns on the GPU.
[[nodiscard]] bool in_turns(const scenarios::Scenario& scenario);

enum class Fate {
  wins,     // 5 % or more
  same,     // within 5 %
  loses,    // 5 % or more
  starves,  // half or more of what it had; or it kept up and does not any longer
};
[[nodiscard]] const char* to_string(Fate fate);

// Equal streams or processes of the scenario before.
struct Standing {
  std::string label;               // of all groups no other has it
  std::vector<std::size_t> parts;  // before, as in WhatIfBoard
  scenarios::Metric kernel_us;     // mean duration
  // Of throughput, as a share; where requests come by themselves and are all served, of the mean latency's
  // inverse.
  double gain = 0;
  bool of_latency = false;
  bool kept_up = true, keeps_up = true;  // with its requests: before, and after
  Fate fate = Fate::same;
};

struct Standings {
  std::vector<Standing> groups;  // in the order of the scenario; none: no figures
  // "resnet50 wins (+30.1 %), mobilenet_v2 starves (-78.2 %): each stream gets one kernel a round, ..."
  std::string sentence;
};
// Of a change that shares the GPU otherwise. `before`: the scenario and its result.
[[nodiscard]] Standings standings_of(const scenarios::Scenario& scenario, const scenarios::Result& before,
                                     const KernelMeans& kernels, const Tried& tried);

}  // namespace jostle::analyses
