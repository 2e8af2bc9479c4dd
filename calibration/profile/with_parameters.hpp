// A profile with other figures: what would be if a board were a little different.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/value.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::calibration {

// Figures by path, each value with its unit, as profile_of() and with_override() take them. Words ("cfs") and
// blocks stand for themselves.
[[nodiscard]] std::vector<std::string> assignments(
    const Profile& profile, const input::Node& document,
    const std::vector<std::pair<std::string, std::string>>& figures);

// `document` (profile_document()) with `figures` put over it, all at once: path and value with its unit, as
// ("gpu.time_slicing.slice", "2 ms"). Each is `assumed`, whatever the figure was before. A path that leads to
// no figure, or a value that cannot be, is a problem at that path.
[[nodiscard]] std::optional<Profile> with_parameters(
    const input::Node& document, const std::vector<std::pair<std::string, std::string>>& figures,
    input::Problems& problems);

}  // namespace jostle::calibration
