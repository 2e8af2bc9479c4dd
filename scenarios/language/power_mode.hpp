// The power mode of a scenario: one of its board's, or one out of an nvpmodel.conf.
#pragma once

#include <optional>

#include "models/board/spec.hpp"
#include "scenarios/language/load_parts.hpp"

namespace jostle::scenarios {

struct Scenario;

// `power_mode`: a name, or {file: nvpmodel.conf, mode: MODE_15W}; the file is read.
void read_power_mode(const input::Cursor& at, const LoadContext& context, Scenario& scenario);

// Makes the name the profile's own, and fills in its default; a mode out of a file must make sense on the
// board.
void check_power_mode(Scenario& scenario, const board::DeviceSpec& device, const input::Cursor& root);

// What limits `device` in a checked scenario; none on a board without modes.
[[nodiscard]] std::optional<board::PowerMode> power_mode_of(const Scenario& scenario,
                                                            const board::DeviceSpec& device);

}  // namespace jostle::scenarios
