// Typed readers of one value, each with its range. An invalid value is a problem and never replaced by a
// default.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/cursor.hpp"
#include "input/units.hpp"

namespace jostle::input {

struct Integer {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] std::optional<std::int64_t> operator()(const Cursor& at) const;
};

// An integer of a narrower type; the limits must fit it.
template <class T>
struct Whole {
  T least, most;
  [[nodiscard]] std::optional<T> operator()(const Cursor& at) const {
    const auto value = Integer{static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)}(at);
    return value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
  }
};

// A number without a unit.
struct Real {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool above_least = false;  // excludes `least` itself
  [[nodiscard]] std::optional<double> operator()(const Cursor& at) const;
};

struct Boolean {
  [[nodiscard]] std::optional<bool> operator()(const Cursor& at) const;
};

// A text that is not empty and has at most `longest` bytes.
struct Text {
  std::size_t longest = 4096;
  [[nodiscard]] std::optional<std::string> operator()(const Cursor& at) const;
};

// A number with a unit of `dimension`. Limits and result are in the base unit of the dimension.
struct Quantity {
  const Dimension& dimension;
  double least = 0;
  double most = std::numeric_limits<double>::max();
  bool above_least = false;
  std::string_view reason = {};  // reason for the limits, shown as a hint
  [[nodiscard]] std::optional<double> operator()(const Cursor& at) const;
};

// The names, in any case, that another spelling stands for: one, or several that it does not tell apart.
using Spelled = std::vector<std::string> (*)(const std::string& text);

// One name from a table.
template <class T>
struct Choice {
  std::string what;  // "a precision"
  std::vector<std::pair<std::string, T>> names;
  Spelled spelled = nullptr;
  [[nodiscard]] std::optional<T> operator()(const Cursor& at) const;
};

// A list of at most `most` values, each read by `item`. With `none`, which says what to do in place of an
// empty list, values are distinct and there is at least one.
template <class T, class Reader>
struct List {
  std::string what;  // "a list of cores"
  Reader item;
  std::size_t most = 1024;
  std::string_view none = {};
  [[nodiscard]] std::optional<std::vector<T>> operator()(const Cursor& at) const;
};

// The index of a name in `names`; none, with a problem that suggests the nearest name, if it is not there.
[[nodiscard]] std::optional<std::size_t> choose(const Cursor& at, const std::string& what,
                                                const std::vector<std::string>& names,
                                                Spelled spelled = nullptr);

template <class T>
std::optional<T> Choice<T>::operator()(const Cursor& at) const {
  std::vector<std::string> list;
  for (const auto& entry : names) list.push_back(entry.first);
  const std::optional<std::size_t> index = choose(at, what, list, spelled);
  return index ? std::optional<T>(names[*index].second) : std::nullopt;
}

template <class T, class Reader>
std::optional<std::vector<T>> List<T, Reader>::operator()(const Cursor& at) const {
  if (!at.is(Kind::sequence)) {
    at.expected(what);
    return std::nullopt;
  }
  std::vector<T> result;
  const std::vector<Cursor> cursors = at.items(what, most);
  if (cursors.size() != at.value().children.size()) return std::nullopt;
  bool good = none.empty() || !cursors.empty();
  if (!good) at.problem("the list is empty", std::string(none));
  for (const Cursor& cursor : cursors) {
    auto value = item(cursor);
    good &= value.has_value();
    if (!value) continue;
    if (!none.empty() && std::ranges::find(result, static_cast<T>(*value)) != result.end()) {
      cursor.problem("'" + cursor.value().text + "' is listed twice");
      good = false;
    }
    result.push_back(static_cast<T>(std::move(*value)));
  }
  return good ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace jostle::input
