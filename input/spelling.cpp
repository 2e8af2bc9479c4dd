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
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) > 127)
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

// Finds "nvidia-l4" for "l4", and "nvidia-h200" for "h20".
Names containing(std::string_view name, const Names& names) {
  const auto joined = [](std::string_view text) { return fmt::format("{}", fmt::join(words_of(text), "")); };
  const std::string asked = joined(name);
  Names found = with_all_words(name, names);
  if (found.empty() && asked.size() > 2)
    std::ranges::copy_if(names, std::back_inserter(found), [&](const std::string& candidate) {
      return joined(candidate).find(asked) != std::string::npos;
    });
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

std::vector<std::string> with_all_words(std::string_view name, const std::vector<std::string>& texts) {
  const Names words = words_of(name);
  Names found;
  for (const std::string& text : texts)
    if (!words.empty() && shared_words(words, text) == words.size()) found.push_back(text);
  return found;
}

std::vector<std::string> similar(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 100;  // longer names are not typing errors
  if (name.empty() || name.size() > longest) return {};
  for (const auto& find : {beginning_with, fewest_edits, containing}) {
    std::vector<std::string> found = find(name, names);
    if (!found.empty()) return found;
  }
  return {};
}

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string> found = similar(name, names);
  return found.empty() ? std::string{} : found.front();
}

std::string did_you_mean(std::vector<std::string> names) {
  if (names.size() == 1) return fmt::format("did you mean '{}'?", names.front());
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("did you mean '{}' or '{}'?", fmt::join(names, "', '"), last);
}

std::string spelling_hint(std::string_view name, const std::vector<std::string>& names) {
  if (std::vector<std::string> near = similar(name, names); !near.empty())
    return did_you_mean(std::move(near));
  return names.empty() ? std::string{} : fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace jostle::input
