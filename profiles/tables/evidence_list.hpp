// The `evidence` of a profile: where its measured kernels are. One source, or several in the order of
// precedence: tables of one's own networks, then what ships.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jostle::profiles {

// A profile's spec holds its sources in one text.
[[nodiscard]] std::string joined_evidence(const std::vector<std::string>& sources);
[[nodiscard]] std::vector<std::string> evidence_sources(std::string_view evidence);

// The source that ships with this build, for traces and tables that only a shipped folder has; empty if there
// is none.
[[nodiscard]] std::string shipped_evidence(std::string_view evidence);

// Keeps tables that are not (yet) files, for the life of the process. Returns the source that stands for
// them.
[[nodiscard]] std::string keep_in_memory(const std::string& kernels_csv, const std::string& solo_csv);

// The text of kernels.csv or solo.csv of a folder, or of tables in memory. Throws input::CsvError.
[[nodiscard]] std::string table_text(std::string_view source, std::string_view file);

}  // namespace jostle::profiles
