// The power mode of a scenario: one of the board's modes, or one from an nvpmodel.conf.
#pragma once

#include <optional>

#include "models/board/spec.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {

struct Scenario;

// Reads `power_mode`: a name, or {file: nvpmodel.conf, mode: MODE_15W}. The file is read.
void read_power_mode(const input::Cursor& at, const LoadContext& context, Scenario& scenario);

// Replaces the name by the profile's spelling, and fills in the default; checks that a mode from a file is
// valid on the board.
void check_power_mode(Scenario& scenario, const board::DeviceSpec& device, const input::Cursor& root);

// The power mode of `device` in a checked scenario; none on a board without modes.
[[nodiscard]] std::optional<board::PowerMode> power_mode_of(const Scenario& scenario,
                                                            const board::DeviceSpec& device);

}  // namespace jostle::scenarios
