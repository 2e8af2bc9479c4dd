// "--set processes.0.batch=4": a value put over the one in the file, before anything is checked.
#pragma once

#include <string>

#include "input/value.hpp"

namespace jostle::input {

// `root` with the value of `assignment` ("a.b.0.c=VALUE", VALUE in YAML) put in; null with a problem that
// names the option when the path leads nowhere or the value is not YAML. A key that is missing in a mapping
// is added (a wrong one is found when the document is read); an index must exist, or be one past the end.
// A step `*` stands for every entry of a list: "processes.*.batch=4". The value null takes away what is
// there.
[[nodiscard]] Node with_override(const Node& root, const std::string& assignment, Problems& problems);

// The same with a value that is already a node; it keeps its location, where its problems are then reported.
[[nodiscard]] Node with_value(const Node& root, const std::string& path, const Node& value,
                              Problems& problems);

}  // namespace jostle::input
