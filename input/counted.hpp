// Counts with their nouns, for messages: "1 camera", "2 cameras".
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace jostle::input {

// `plural` is given if an appended "s" is not enough: counted(2, "process", "processes").
template <class Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun, std::string_view plural = {}) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace jostle::input
