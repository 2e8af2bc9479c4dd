// Imported logs as rows of evidence: the columns of evidence/boards/solo.csv, and further columns that logs
// provide.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/readers/measurement.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

// Fields that the user supplies for all files; empty: the log's own value, if it has one.
struct SuppliedFields {
  std::string run, device, power_mode, model, precision;
  std::optional<std::int64_t> batch;
  std::optional<bool> pinned;  // jetson_clocks
};

// The header line of the CSV.
[[nodiscard]] const std::string& evidence_header();

// The rows of `imports`, which come from one file, each ended by a newline. Runs are named after the file, or
// as supplied, and numbered if there are several. Adds a note to an import if a supplied field replaces the
// log's value. A batch that contradicts the log is a problem.
[[nodiscard]] std::string evidence_rows(std::vector<Import>& imports, const SuppliedFields& said,
                                        input::Problems& problems);

}  // namespace jostle::calibration
