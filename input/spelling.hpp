// Suggestions for misspelled names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::input {

// Number of letters to insert, delete, replace or swap with a neighbour to turn one text into the other,
// ignoring case.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The most similar of `names`, the first of equally similar ones; "" if none is similar enough.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& names);

// "did you mean 'x'?", or "one of a, b, c" if no name is similar.
[[nodiscard]] std::string spelling_hint(std::string_view name, const std::vector<std::string>& names);

}  // namespace jostle::input
