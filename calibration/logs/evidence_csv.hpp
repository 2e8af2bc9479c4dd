// Writes imported logs as rows of evidence: the columns of evidence/boards/solo.csv, and further columns that
// logs provide.
#pragma once

#include <span>
#include <string>

#include "calibration/logs/run_logs.hpp"

namespace jostle::calibration {

// The header line of the CSV.
[[nodiscard]] const std::string& evidence_header();

// The rows of the logs, each ended by a newline.
[[nodiscard]] std::string evidence_rows(std::span<const RunLog> logs);

}  // namespace jostle::calibration
