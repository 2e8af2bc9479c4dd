// Profile keys that were renamed: old names are still accepted, and a rename does not change any hash.
//
// The table is profiles/renamed.csv: the current name of a key and its first name. A name means the same
// parameter wherever it appears in a profile.
#pragma once

#include <string>
#include <string_view>

#include "input/value.hpp"

namespace jostle::profiles {

// The path with every key under its current name: "gpu.kernels.<old>" -> "gpu.kernels.<new>". In an
// assignment "path=value" the part after '=' is unchanged.
[[nodiscard]] std::string current_path(std::string_view path);

// The key, or every key of the path, under its first name. Hashes and names of random streams use first
// names.
[[nodiscard]] std::string_view first_key(std::string_view key);
[[nodiscard]] std::string first_path(std::string_view path);

// The document with every key under its current name; the same node if nothing was renamed. Null stays null.
[[nodiscard]] input::Node with_current_keys(const input::Node& document);

}  // namespace jostle::profiles
