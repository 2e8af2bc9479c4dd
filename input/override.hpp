// "--set processes.0.batch=4": replaces a value of the file before anything is checked.
#pragma once

#include <string>

#include "input/value.hpp"

namespace jostle::input {

// `root` with the value of `assignment` inserted ("a.b.0.c=VALUE", VALUE in YAML). Null, with a problem that
// names the option (`typed`, or else --set with the assignment), if the path does not exist or the value is
// not YAML. A key that is missing in a mapping is added (a wrong key is reported when the document is read).
// An index must exist or be one past the end. A step `*` stands for every entry of a list:
// "processes.*.batch=4". The value null removes the existing value.
[[nodiscard]] Node with_override(const Node& root, const std::string& assignment, Problems& problems,
                                 const std::string& typed = {});

// `root` with a value that is already a node. The node keeps its location, and its problems are reported
// there.
[[nodiscard]] Node with_value(const Node& root, const std::string& path, const Node& value,
                              Problems& problems);

}  // namespace jostle::input
