// Imported logs as rows of evidence: the columns of evidence/boards/solo.csv and what logs know beyond them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/readers/measurement.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

// What the user says of all the files; empty: what each log says, or nothing.
struct SuppliedFields {
  std::string run, device, power_mode, model, precision;
  std::optional<std::int64_t> batch;
  std::optional<bool> pinned;  // jetson_clocks
};

// The header line of the CSV.
[[nodiscard]] const std::string& evidence_header();

// The rows of `imports`, which are of one file, each ended by a newline. Runs are named after the file, or as
// said, and numbered where there are several. Adds a note to an import where what is said replaces what the
// log says; a batch that the log contradicts is a problem.
[[nodiscard]] std::string evidence_rows(std::vector<Import>& imports, const SuppliedFields& said,
                                        input::Problems& problems);

}  // namespace jostle::calibration
