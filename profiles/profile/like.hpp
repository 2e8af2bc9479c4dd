// Implements `like: NAME` in a profile: the named profile supplies what the file omits. It is a shipped one,
// or a file (its name ends in .yaml), by its path from the file that names it.
//
// Mappings are merged parameter by parameter. A parameter, a list, or a mapping with its own `from` replaces
// the other profile's, so that no source is applied to a parameter that it does not cover. The other profile
// may itself be like a third one.
#pragma once

#include <string>

#include "input/value.hpp"

namespace jostle::profiles {

// The complete document of a profile's text, or null with the reason in `problems`.
[[nodiscard]] input::Node profile_document(const std::string& text, const std::string& origin,
                                           input::Problems& problems);
// The complete document of an existing shipped profile. It is not parsed if it was compiled into the binary.
[[nodiscard]] input::Node shipped_document(const std::string& device, const std::string& origin,
                                           input::Problems& problems);

// The shipped device that a profile is like, over other files if need be; itself, if it ships. `name`: of a
// shipped profile, or the path of a file.
[[nodiscard]] std::string shipped_device_of(const std::string& name);

}  // namespace jostle::profiles
