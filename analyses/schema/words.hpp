// The names that scenarios choose from, by kind: for schemas, completion and spelling.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jostle::analyses {

// The names of a kind, such as "precision"; throws std::out_of_range for any other kind.
[[nodiscard]] std::vector<std::string> words(std::string_view what);

}  // namespace jostle::analyses
