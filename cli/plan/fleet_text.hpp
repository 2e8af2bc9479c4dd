// The result of a fleet plan as text.
#pragma once

#include <string>

#include "analyses/fleet/fleet.hpp"

namespace jostle::cli {

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string fleet_text(const std::string& file, const analyses::Fleet& fleet, int width,
                                     bool colour);

}  // namespace jostle::cli
