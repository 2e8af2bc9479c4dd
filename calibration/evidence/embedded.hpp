// The measured runs that are part of the laboratory.
//
// Paths are relative to calibration/, as in "evidence/h200-space/mps.csv".
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "profiles/embedded.hpp"
#include "profiles/tables/trace_files.hpp"

namespace jostle::calibration {

// All embedded files, sorted by path.
[[nodiscard]] std::span<const profiles::EmbeddedFile> embedded_files();

// The contents of one file, of this room or of profiles/; none if neither has it.
[[nodiscard]] std::optional<std::string_view> evidence_file(std::string_view path);

// The traces of a card, with its kernel tables; empty if there are none. They are read once.
[[nodiscard]] const profiles::TraceFiles& embedded_traces(std::string_view folder = "h200");

}  // namespace jostle::calibration
