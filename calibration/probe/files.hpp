// The files that a part leaves in the probe's folder.
#pragma once

#include <string>
#include <string_view>

#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {

// Writes `text` to `name` in the session's folder, whole or not at all, and lists it in the outcome. A name
// may have a folder ("raw/turns.csv"), which is made. Throws ProbeError.
void write_file(const Session& session, Outcome& outcome, const std::string& name, std::string_view text);

}  // namespace jostle::calibration::probe
