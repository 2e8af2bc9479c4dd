#include "input/spelling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jostle::input {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment distance, with three rows of the dynamic programming table.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (equal ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 100;  // longer names are not typing errors
  if (name.empty() || name.size() > longest) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, std::min(name.size(), longest) * 2 / 5) + 1;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best.empty()) return best;
  // "orin-nano" for "jetson-orin-nano": a substring that only one name contains.
  if (name.size() < 3) return {};
  for (const std::string& candidate : names) {
    if (candidate.find(name) == std::string::npos) continue;
    if (!best.empty() && best.find(candidate) == std::string::npos &&
        candidate.find(best) == std::string::npos) {
      return {};
    }
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  return best;
}

std::string spelling_hint(std::string_view name, const std::vector<std::string>& names) {
  const std::string near = nearest(name, names);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  return names.empty() ? std::string{} : fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace jostle::input
