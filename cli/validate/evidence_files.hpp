// The measurement files of a command line: general evidence (one metric per row), or traces of a shared GPU.
#pragma once

#include <string>
#include <vector>

#include "analyses/evidence/run_configuration.hpp"
#include "calibration/evidence/trace_files.hpp"

namespace jostle::cli {

struct EvidenceFiles {
  calibration::TraceFiles traces;
  std::vector<analyses::RunConfiguration> configurations;
  std::vector<std::string> skipped;  // files in a folder that have neither format
};

// Each of `paths` is a file, or a folder with .csv files. Throws calibration::CsvError for unreadable files,
// for both formats together, and for two trace files of one kind.
[[nodiscard]] EvidenceFiles read_evidence_files(const std::vector<std::string>& paths);

}  // namespace jostle::cli
