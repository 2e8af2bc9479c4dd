// calibration/SENSITIVITY.md, written by `jostle validate --sensitivity`.
#pragma once

#include <string>
#include <vector>

#include "calibration/sensitivity/sensitivity.hpp"

namespace jostle::cli {

[[nodiscard]] std::string sensitivity_markdown(const std::vector<calibration::DeviceSensitivity>& devices);

}  // namespace jostle::cli
