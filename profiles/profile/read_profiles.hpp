// Caches profiles from files, so that each content is parsed once. Callers that run scenarios in a loop
// request the same file repeatedly, and a notebook may rewrite it in between.
#pragma once

#include <optional>
#include <string>

#include "profiles/profile/profile.hpp"

namespace jostle::profiles {

// The profile that was parsed from `text`, the content of `path`. Absent if it was not parsed, or if a
// measured table in one of its folders has changed since. Thread-safe.
[[nodiscard]] std::optional<Profile> known_profile(const std::string& path, const std::string& text);
void remember_profile(const std::string& path, const std::string& text, const Profile& profile);

}  // namespace jostle::profiles
