// Counts with their nouns, and lists of names, for messages: "1 camera", "2 cameras", "p90, p95 and p99".
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::input {

// `plural` is given if an appended "s" is not enough: counted(2, "process", "processes").
template <class Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun, std::string_view plural = {}) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

// "p99", "p95 and p99", "p90, p95 and p99".
[[nodiscard]] inline std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

}  // namespace jostle::input
