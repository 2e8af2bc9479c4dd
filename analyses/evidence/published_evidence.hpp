// What laboratories published of boards: the rows that ship, each of which is used or counted.
#pragma once

#include <span>

#include "analyses/evidence/run_configuration.hpp"

namespace jostle::analyses {

// The rows of calibration/evidence/boards/solo.csv, and those of calibration/evidence/published, on which
// nothing is fitted.
[[nodiscard]] Evidence shipped_evidence();

// The same of given tables. Rows of a device, runtime or network that this build does not have are counted.
// Throws CsvError for all else that is not a measured run, unlike evidence_of(): a metric that jostle does
// not predict, a row without a laboratory. Throws std::runtime_error if a row is neither used nor counted.
[[nodiscard]] Evidence published_evidence(std::span<const calibration::CsvTable> tables);

}  // namespace jostle::analyses
