// Checks whether a log can come from the board that the user names.
#pragma once

#include <string>

#include "calibration/readers/measurement.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::calibration {

// The reason why the log cannot come from the board, for example "its GPU is of sm_53, but that of
// jetson-orin-nano is of sm_87". Empty if there is no contradiction.
[[nodiscard]] std::string contradiction(const Setting& log, const board::DeviceSpec& device,
                                        const std::string& name);

}  // namespace jostle::calibration
