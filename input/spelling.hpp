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

// Those of `texts` that have all words of `name`, in any order.
[[nodiscard]] std::vector<std::string> with_all_words(std::string_view name,
                                                      const std::vector<std::string>& texts);

// The most similar of `names`, the best first: names that begin with `name`, or else have all its words, or
// else are a few typing errors away, or else contain it. None if nothing is similar.
[[nodiscard]] std::vector<std::string> similar(std::string_view name, const std::vector<std::string>& names);

// The first of similar(), or "".
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& names);

// "did you mean 'x' or 'y'?", of one name or more.
[[nodiscard]] std::string did_you_mean(std::vector<std::string> names);

// The same of similar(), or "one of a, b, c" if no name is similar.
[[nodiscard]] std::string spelling_hint(std::string_view name, const std::vector<std::string>& names);

}  // namespace jostle::input
