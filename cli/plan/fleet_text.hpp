// The result of a fleet plan as text.
#pragma once

#include <string>

#include "analyses/fleet/fleet.hpp"
#include "cli/page/words.hpp"

namespace jostle::cli {

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string fleet_text(const std::string& file, const analyses::Fleet& fleet, int width,
                                     bool colour);

// The same for the head of a page; `scenario`: that of one of its configurations.
[[nodiscard]] PageWords fleet_words(const analyses::Fleet& fleet, const scenarios::InWords& scenario);

}  // namespace jostle::cli
