// Profiles from files, each content parsed once: whoever runs scenarios in a loop asks for the same file
// again and again, and a notebook may write it anew in between.
#pragma once

#include <optional>
#include <string>

#include "calibration/profile/profile.hpp"

namespace jostle::calibration {

// The profile that `text`, the content of `path`, was when it was last parsed; none if it was not, or if a
// measured table in one of its folders has changed since. Thread-safe.
[[nodiscard]] std::optional<Profile> known_profile(const std::string& path, const std::string& text);
void remember_profile(const std::string& path, const std::string& text, const Profile& profile);

}  // namespace jostle::calibration
