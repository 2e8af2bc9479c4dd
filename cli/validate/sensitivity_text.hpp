// calibration/SENSITIVITY.md, written by `jostle validate --sensitivity`.
#pragma once

#include <string>
#include <vector>

#include "validation/sensitivity/sensitivity.hpp"

namespace jostle::cli {

[[nodiscard]] std::string sensitivity_markdown(const std::vector<validation::DeviceSensitivity>& devices);

}  // namespace jostle::cli
