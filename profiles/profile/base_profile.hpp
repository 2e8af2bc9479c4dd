// Reads a profile together with its document, so that parameters can be changed and the profile read again.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/problems.hpp"
#include "input/value.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::profiles {

// A profile and its document, so that parameters can be replaced.
struct BaseProfile {
  std::string name;  // the calibrated profile is `like` this one
  input::Node document;
  Profile profile;
};
// Reads a shipped profile by name, or one of a file (ending in .yaml), whose name is then its path. Reports a
// problem if there is none.
[[nodiscard]] std::optional<BaseProfile> base_profile(const std::string& device, input::Problems& problems);
// Does the same for a name that is known to exist; throws std::runtime_error otherwise.
[[nodiscard]] BaseProfile shipped_base_profile(const std::string& device);
// Reads a profile from a file.
[[nodiscard]] std::optional<BaseProfile> base_profile_at(const std::string& path, input::Problems& problems);

// Modifies the parameters of a profile, for what-if questions.

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
