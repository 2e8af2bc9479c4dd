// Parts that `calibrate` and `calibrate auto` share.
#pragma once

#include <string>

#include "calibration/calibrate/board/board_calibration.hpp"

namespace jostle::cli {

// Writes the kernel tables into the folder beside the profile at `output`.
void write_tables(const calibration::BoardCalibration& outcome, const std::string& output);

}  // namespace jostle::cli
