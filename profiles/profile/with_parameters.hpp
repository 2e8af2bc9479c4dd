// Modifies the parameters of a profile, for what-if questions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/value.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::profiles {

// Assignments for parameters by path, each value with its unit, in the form that profile_of() and
// with_override() accept. Names of policies ("cfs") and blocks are inserted as they are.
[[nodiscard]] std::vector<std::string> assignments(
    const Profile& profile, const input::Node& document,
    const std::vector<std::pair<std::string, std::string>>& overrides);

// Applies all `overrides` to `document` (profile_document()) at once: path and value with its unit,
// for example ("gpu.time_slicing.slice", "2 ms"). Each parameter gets the grade `assumed`. A path that is not
// a parameter and an invalid value are problems at that path.
[[nodiscard]] std::optional<Profile> with_parameters(
    const input::Node& document, const std::vector<std::pair<std::string, std::string>>& overrides,
    input::Problems& problems);

}  // namespace jostle::profiles
