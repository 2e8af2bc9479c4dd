// Whether a log can be of the board that it is said to be of.
#pragma once

#include <string>

#include "calibration/readers/measurement.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::calibration {

// Why it cannot: "its GPU is of sm_53, that of jetson-orin-nano of sm_87". Empty if nothing speaks against
// it.
[[nodiscard]] std::string contradiction(const Setting& log, const board::DeviceSpec& device,
                                        const std::string& name);

}  // namespace jostle::calibration
