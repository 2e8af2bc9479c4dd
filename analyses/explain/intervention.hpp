// The changes that explain() tries, by subject. Each function makes the changed scenarios, or none where the
// change does not apply; what_if.cpp lists them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/explain/what_if.hpp"
#include "scenarios/language/figures.hpp"

namespace jostle::analyses {

struct Request {
  const scenarios::Scenario& scenario;
  const board::DeviceSpec& device;
  const scenarios::Result& before;
};

// A changed scenario.
struct Changed {
  std::string label;
  std::vector<WhatIfBoard> boards;  // `parts` empty: all parts, in order
  bool possible = true;             // false: it needs a part that the board does not have
  double price = 1;                 // the boards' price over that of this board
  std::string note = {};            // the layers that fall back; empty: there are none
};

[[nodiscard]] Changed one_board(std::string label, scenarios::Scenario scenario);

using scenarios::put;

[[nodiscard]] bool is_synthetic(const scenarios::ProcessEntry& part);

// A change that is made in one way, or none; and one in several.
using OneChange = std::optional<Changed>(const Request& request);
using SeveralChanges = std::vector<Changed>(const Request& request);

OneChange no_limits, with_fan, cooler_air, next_power_mode, faster_cores;  // limit_changes.cpp
SeveralChanges smaller_power_modes;
OneChange precision_fp16, precision_int8, placement_gpu, both_dlas, gpu_and_dla;  // engine_changes.cpp
SeveralChanges other_weights;
OneChange in_gpu_instances;  // gpu_instances.cpp
OneChange one_core_more, all_cores, nice_first, sync_spin, sync_blocking, no_quota,
    no_stages;  // host_changes.cpp
SeveralChanges fewer_threads;
OneChange batch_doubled, batch_of_waiting, batch_with_delay, drop_frames, skip_frames;  // request_changes.cpp
OneChange stages_in_cpp, stages_on_gpu, overlapping_stages;                             // stage_changes.cpp
SeveralChanges other_stages;
SeveralChanges other_boards, on_cores;  // board_changes.cpp

}  // namespace jostle::analyses
