// A profile together with its document, so that parameters can be changed and the profile read again.
#pragma once

#include <optional>
#include <string>

#include "calibration/profile/profile.hpp"
#include "input/problems.hpp"
#include "input/value.hpp"

namespace jostle::calibration {

// A profile and its document, so that figures can be put over it.
struct BaseProfile {
  std::string name;  // what the calibrated one is `like`
  input::Node document;
  Profile profile;
};
// A shipped profile by name. Problems if there is none.
[[nodiscard]] std::optional<BaseProfile> base_profile(const std::string& device, input::Problems& problems);
// The same for a name that is known to be right: std::runtime_error if it is not.
[[nodiscard]] BaseProfile shipped_base_profile(const std::string& device);
// One of a file.
[[nodiscard]] std::optional<BaseProfile> base_profile_at(const std::string& path, input::Problems& problems);

}  // namespace jostle::calibration
