// Dotted paths of scenario keys ("processes.*.batch"), where `*` is any entry of a list.
#pragma once

#include <string_view>

namespace jostle::analyses {

// Whether what `inner` leads to is, or may be, a part of what `outer` leads to; equals are parts of each
// other.
[[nodiscard]] bool covers(std::string_view outer, std::string_view inner);

// Whether both have as many steps.
[[nodiscard]] bool same_length(std::string_view a, std::string_view b);

// What follows `outer` in `inner`, with its leading dot; `outer` covers `inner`.
[[nodiscard]] std::string_view rest_after(std::string_view outer, std::string_view inner);

}  // namespace jostle::analyses
