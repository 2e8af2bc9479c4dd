// The files of measurements that a command line names: evidence of the general form, or traces of a shared
// GPU.
#pragma once

#include <string>
#include <vector>

#include "analyses/evidence/run_configuration.hpp"
#include "calibration/evidence/trace_files.hpp"

namespace jostle::cli {

struct EvidenceFiles {
  calibration::TraceFiles traces;
  std::vector<analyses::RunConfiguration> settings;
  std::vector<std::string> passed_over;  // in a folder, of neither form
};

// Each of `paths` is a file, or a folder of which the files that end in .csv are meant. Throws
// calibration::CsvError: what cannot be read, both forms together, two files of one form of trace.
[[nodiscard]] EvidenceFiles read_evidence_files(const std::vector<std::string>& paths);

}  // namespace jostle::cli
