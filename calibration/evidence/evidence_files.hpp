// The measurement files that a user names: general evidence (one metric per row), or traces of a shared GPU.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/evidence/run_configuration.hpp"
#include "profiles/embedded.hpp"
#include "profiles/tables/trace_files.hpp"

namespace jostle::calibration {

struct EvidenceFile {
  std::string path;
  std::size_t used = 0;                            // rows that a fit or a comparison can use
  std::map<std::string, std::size_t> unused = {};  // other rows, by the reason
};

struct EvidenceFiles {
  profiles::TraceFiles traces;
  std::vector<RunConfiguration> configurations;
  std::vector<RunConfiguration> alone_in_traces;  // networks alone in `traces`: rates and watts
  std::vector<EvidenceFile> files;                // files of general evidence
  std::vector<std::string> notes;                 // rows of these files that are left out, and why
  std::vector<std::string> skipped;               // files in a folder that have neither format
};

// Each of `paths` is a file, or a folder with .csv files. `onnx`: files of networks; other networks are
// looked for beside the evidence, and in the working directory. Throws input::CsvError for unreadable
// files, for traces of a shared GPU beside general evidence, and for two trace files of one kind. Rates and
// kernel tables are general evidence in any form and any number of files, unless they come with such traces.
[[nodiscard]] EvidenceFiles read_evidence_files(const std::vector<std::string>& paths,
                                                const std::vector<std::string>& onnx = {});

// All embedded files, sorted by path.
[[nodiscard]] std::span<const profiles::EmbeddedFile> embedded_files();

// The contents of one file, of this room or of profiles/; none if neither has it.
[[nodiscard]] std::optional<std::string_view> evidence_file(std::string_view path);

// The traces of a card, with its kernel tables; empty if there are none. They are read once.
[[nodiscard]] const profiles::TraceFiles& embedded_traces(std::string_view folder = "h200");

// The measurements of boards that laboratories published and jostle ships. Each row is used or counted.

// The rows of calibration/evidence/boards/solo.csv, and those of calibration/evidence/published, to which
// nothing is fitted.
[[nodiscard]] Evidence shipped_evidence();

// The same for given tables. Rows of a device, runtime or network that this build does not have are counted.
// Unlike evidence_of(), throws CsvError for everything else that is not a measured run: a metric that jostle
// does not predict, a row without a laboratory. Throws std::runtime_error if a row is neither used nor
// counted.
[[nodiscard]] Evidence published_evidence(std::span<const input::CsvTable> tables);

}  // namespace jostle::calibration
