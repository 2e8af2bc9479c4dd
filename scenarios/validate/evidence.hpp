// The measured runs that ship in the binary.
#pragma once

#include <string>

#include "calibration/readers/csv.hpp"

namespace jostle::scenarios {

// A file of the H200's evidence, e.g. "solo.csv". Throws std::runtime_error if this build has no such file.
[[nodiscard]] calibration::CsvTable evidence(const std::string& file);

}  // namespace jostle::scenarios
