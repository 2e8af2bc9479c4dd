// The name that was probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::input {

// Letters to insert, delete, replace or swap with a neighbour to turn one into the other; upper and lower
// case are alike.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `names`, or "" when none is near enough to be meant. The first of equals.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& names);

// "did you mean 'x'?", or "one of a, b, c" when nothing is near.
[[nodiscard]] std::string spelling_hint(std::string_view name, const std::vector<std::string>& names);

}  // namespace jostle::input
