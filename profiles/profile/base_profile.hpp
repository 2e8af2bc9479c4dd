// Reads a profile together with its document, so that parameters can be changed and the profile read again.
#pragma once

#include <optional>
#include <string>

#include "input/problems.hpp"
#include "input/value.hpp"
#include "profiles/profile/profile.hpp"

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

}  // namespace jostle::profiles
