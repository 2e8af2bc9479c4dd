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

// Limits of power, current and heat, and the power mode (limit_changes.cpp).
[[nodiscard]] std::optional<Changed> no_limits(const Request& request);
[[nodiscard]] std::optional<Changed> with_fan(const Request& request);
[[nodiscard]] std::optional<Changed> cooler_air(const Request& request);
[[nodiscard]] std::optional<Changed> next_power_mode(const Request& request);
[[nodiscard]] std::optional<Changed> faster_cores(const Request& request);
[[nodiscard]] std::vector<Changed> smaller_power_modes(const Request& request);

// Precision and the engine that computes (engine_changes.cpp).
[[nodiscard]] std::optional<Changed> precision_fp16(const Request& request);
[[nodiscard]] std::optional<Changed> precision_int8(const Request& request);
[[nodiscard]] std::vector<Changed> other_weights(const Request& request);
[[nodiscard]] std::optional<Changed> placement_gpu(const Request& request);
[[nodiscard]] std::optional<Changed> both_dlas(const Request& request);
[[nodiscard]] std::optional<Changed> gpu_and_dla(const Request& request);

// Instances of the GPU (gpu_instances.cpp).
[[nodiscard]] std::optional<Changed> in_gpu_instances(const Request& request);

// Cores and threads (host_changes.cpp).
[[nodiscard]] std::optional<Changed> one_core_more(const Request& request);
[[nodiscard]] std::optional<Changed> all_cores(const Request& request);
[[nodiscard]] std::optional<Changed> nice_first(const Request& request);
[[nodiscard]] std::optional<Changed> sync_spin(const Request& request);
[[nodiscard]] std::optional<Changed> sync_blocking(const Request& request);
[[nodiscard]] std::optional<Changed> no_quota(const Request& request);
[[nodiscard]] std::vector<Changed> fewer_threads(const Request& request);
[[nodiscard]] std::optional<Changed> no_stages(const Request& request);

// Batches and requests (request_changes.cpp).
[[nodiscard]] std::optional<Changed> batch_doubled(const Request& request);
[[nodiscard]] std::optional<Changed> batch_of_waiting(const Request& request);
[[nodiscard]] std::optional<Changed> batch_with_delay(const Request& request);
[[nodiscard]] std::optional<Changed> drop_frames(const Request& request);
[[nodiscard]] std::optional<Changed> skip_frames(const Request& request);

// Stages around inference in other ways (stage_changes.cpp).
[[nodiscard]] std::vector<Changed> other_stages(const Request& request);
[[nodiscard]] std::optional<Changed> stages_in_cpp(const Request& request);
[[nodiscard]] std::optional<Changed> overlapping_stages(const Request& request);

// Another board, and networks on the cores (board_changes.cpp).
[[nodiscard]] std::vector<Changed> other_boards(const Request& request);
[[nodiscard]] std::vector<Changed> on_cores(const Request& request);

}  // namespace jostle::analyses
