// `like: NAME` in a profile: what the file leaves out is as in that shipped profile.
//
// A mapping changes the other's figure by figure; a figure, a list, or a mapping with a `from` of its own
// stands for itself and replaces what was there, so that no source speaks for a figure it does not know. The
// other may itself be like a third.
#pragma once

#include <string>

#include "input/value.hpp"

namespace jostle::calibration {

// The complete document of a profile's text, or null with the reason in `problems`.
[[nodiscard]] input::Node profile_document(const std::string& text, const std::string& origin,
                                           input::Problems& problems);

}  // namespace jostle::calibration
