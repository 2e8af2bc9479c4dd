// Dotted paths of scenario keys ("processes.*.batch"); `*` stands for any entry of a list.
#pragma once

#include <string_view>

namespace jostle::analyses {

// Returns whether the value at `inner` is, or may be (`*`), part of the value at `outer`. Equal paths cover
// each other.
[[nodiscard]] bool covers(std::string_view outer, std::string_view inner);

// Returns whether both paths have the same number of steps.
[[nodiscard]] bool same_length(std::string_view a, std::string_view b);

// The rest of `inner` after `outer`, with the leading dot. `outer` must cover `inner`.
[[nodiscard]] std::string_view rest_after(std::string_view outer, std::string_view inner);

}  // namespace jostle::analyses
