#include "input/spelling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jostle::input {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::size_t max_suggested = 4;

std::string lowered(std::string_view text) {
  std::string result;
  for (const char c : text) result += lower(c);
  return result;
}

std::size_t max_distance(std::string_view name) {
  return std::max<std::size_t>(1, name.size() * 2 / 5);
}

// The words of a name: "jetson-orin_nano" has jetson, orin, nano.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : lowered(name)) {
    if (c != '-' && c != '_' && c != ' ' && c != '.')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The number of words of `name` that are words of the candidate.
std::size_t shared_words(const std::vector<std::string>& name, const std::string& candidate) {
  const std::vector<std::string> words = words_of(candidate);
  return static_cast<std::size_t>(std::ranges::count_if(
      name, [&](const std::string& word) { return std::ranges::find(words, word) != words.end(); }));
}

// Each of the following functions finds similar names by one rule, the most similar first.
using Names = std::vector<std::string>;

Names shortest_first(Names found) {
  std::ranges::stable_sort(found, {}, &std::string::size);
  if (found.size() > max_suggested) found.resize(max_suggested);
  return found;
}

// Finds for "jetson-orin" all names that begin with it, and for "orin nano" all that have both words.
Names beginning_with(std::string_view name, const Names& names) {
  Names found;
  if (name.size() < 3) return found;
  const Names words = words_of(name);
  for (const std::string& candidate : names) {
    const bool all_words = words.size() > 1 && shared_words(words, candidate) == words.size();
    if (all_words || lowered(candidate).starts_with(lowered(name))) found.push_back(candidate);
  }
  return shortest_first(std::move(found));
}

// The words of `name` that are not among `others`.
std::string rest_of(const Names& name, const Names& others) {
  std::string rest;
  for (const std::string& word : name)
    if (std::ranges::find(others, word) == others.end()) rest += (rest.empty() ? "" : "-") + word;
  return rest;
}

// Counts edits only in the words that differ: "jetson-thor" is no misspelt "jetson-tx2".
Names fewest_edits(std::string_view name, const Names& names) {
  const Names words = words_of(name);
  Names best;
  std::size_t best_distance = max_distance(name) + 1;
  for (const std::string& candidate : names) {
    const Names others = words_of(candidate);
    const std::string rest = rest_of(words, others);
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    if (words.size() > 1 && edit_distance(rest, rest_of(others, words)) > max_distance(rest)) continue;
    best = {candidate};
    best_distance = distance;
  }
  return best;
}

// Finds "nvidia-h200" for "h200", but only if all names that contain it are variants of one name.
Names containing(std::string_view name, const Names& names) {
  std::string best;
  if (name.size() < 3) return {};
  for (const std::string& candidate : names) {
    if (candidate.find(name) == std::string::npos) continue;
    if (!best.empty() && best.find(candidate) == std::string::npos &&
        candidate.find(best) == std::string::npos) {
      return {};
    }
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  return best.empty() ? Names{} : Names{best};
}

// Finds relatives of a name that does not exist: "jetson-agx-orin-64gb" for "jetson-thor-agx".
Names with_most_words(std::string_view name, const Names& names) {
  const Names words = words_of(name);
  std::size_t most = 1;
  if (words.size() > 1)
    for (const std::string& candidate : names) most = std::max(most, shared_words(words, candidate));
  Names found;
  for (const std::string& candidate : names)
    if (words.size() > 1 && shared_words(words, candidate) == most) found.push_back(candidate);
  return shortest_first(std::move(found));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // The optimal string alignment distance, with three rows of the dynamic programming table.
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

std::vector<std::string> similar(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 100;  // longer names are not typing errors
  if (name.empty() || name.size() > longest) return {};
  for (const auto& find : {beginning_with, fewest_edits, containing, with_most_words}) {
    std::vector<std::string> found = find(name, names);
    if (!found.empty()) return found;
  }
  return {};
}

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string> found = similar(name, names);
  return found.empty() ? std::string{} : found.front();
}

std::string spelling_hint(std::string_view name, const std::vector<std::string>& names) {
  std::vector<std::string> near = similar(name, names);
  if (near.size() == 1) return fmt::format("did you mean '{}'?", near.front());
  if (!near.empty()) {
    const std::string last = std::move(near.back());
    near.pop_back();
    return fmt::format("did you mean '{}' or '{}'?", fmt::join(near, "', '"), last);
  }
  return names.empty() ? std::string{} : fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace jostle::input
