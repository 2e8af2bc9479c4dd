// The names that scenarios choose from, by kind: for schemas, completion and spelling.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::analyses {

struct Words {
  std::string_view what;  // kind: "precision", "device"
  std::vector<std::string> (*list)();
};

[[nodiscard]] std::span<const Words> words();
// The names of a kind in the table; throws std::out_of_range for any other kind.
[[nodiscard]] std::vector<std::string> words(std::string_view what);

}  // namespace jostle::analyses
