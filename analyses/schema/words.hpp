// The words that scenarios choose from, by what they are: for schemas, completion and spelling.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::analyses {

struct Words {
  std::string_view what;  // "precision", "device"
  std::vector<std::string> (*list)();
};

[[nodiscard]] std::span<const Words> words();
// Of a name in the table; throws std::out_of_range for any other.
[[nodiscard]] std::vector<std::string> words(std::string_view what);

}  // namespace jostle::analyses
