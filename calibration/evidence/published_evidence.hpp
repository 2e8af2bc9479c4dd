// The measurements of boards that laboratories published and jostle ships. Each row is used or counted.
#pragma once

#include <span>

#include "calibration/evidence/run_configuration.hpp"

namespace jostle::calibration {

// The rows of calibration/evidence/boards/solo.csv, and those of calibration/evidence/published, to which
// nothing is fitted.
[[nodiscard]] Evidence shipped_evidence();

// The same for given tables. Rows of a device, runtime or network that this build does not have are counted.
// Unlike evidence_of(), throws CsvError for everything else that is not a measured run: a metric that jostle
// does not predict, a row without a laboratory. Throws std::runtime_error if a row is neither used nor
// counted.
[[nodiscard]] Evidence published_evidence(std::span<const input::CsvTable> tables);

}  // namespace jostle::calibration
