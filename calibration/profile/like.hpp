// `like: NAME` in a profile: what the file omits is taken from that shipped profile.
//
// Mappings are merged parameter by parameter. A parameter, a list, or a mapping with its own `from` replaces
// what was there, so that no source is applied to a parameter that it does not cover. The other profile may
// itself be like a third one.
#pragma once

#include <string>

#include "input/value.hpp"

namespace jostle::calibration {

// The complete document of a profile's text, or null with the reason in `problems`.
[[nodiscard]] input::Node profile_document(const std::string& text, const std::string& origin,
                                           input::Problems& problems);
// The same of a shipped profile, which there must be. It is not parsed where it has been compiled.
[[nodiscard]] input::Node shipped_document(const std::string& device, const std::string& origin,
                                           input::Problems& problems);

}  // namespace jostle::calibration
