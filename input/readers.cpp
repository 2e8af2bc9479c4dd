#include "input/readers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/printable.hpp"
#include "input/spelling.hpp"

namespace jostle::input {
namespace {

template <class T>
struct Bounds {
  T least, most;
  bool above_least = false;      // excludes `least` itself
  std::string_view reason = {};  // shown as a hint
};

// Checks that a value is inside its limits; reports a problem otherwise. `write` formats a limit.
template <class T, class Write>
bool in_range(const Cursor& at, T value, const Bounds<T>& limits, const Write& write) {
  const auto problem = [&](std::string_view what, T limit) {
    at.problem(fmt::format("'{}' is {} {}", printable(at.value().text), what, write(limit)),
               std::string(limits.reason));
  };
  if (value < limits.least) {
    problem("below the minimum,", limits.least);
  } else if (limits.above_least && value == limits.least) {
    problem("not above", limits.least);
  } else if (value > limits.most) {
    problem("above the maximum,", limits.most);
  } else {
    return true;
  }
  return false;
}

bool quoted(const Cursor& at, const char* what) {
  if (!at.value().quoted) return false;
  at.problem(fmt::format("expected {}, found the text \"{}\"", what, printable(at.value().text)),
             "remove the quotes");
  return true;
}

}  // namespace

std::optional<std::int64_t> Integer::operator()(const Cursor& at) const {
  const std::string* text = at.scalar("a whole number");
  if (text == nullptr || quoted(at, "a whole number")) return std::nullopt;
  bool overflow = false;
  const std::optional<std::int64_t> value = parse_integer(*text, overflow);
  if (overflow) {
    at.problem(fmt::format("'{}' is out of range", printable(*text)), fmt::format("at most {}", most));
    return std::nullopt;
  }
  if (!value) {
    at.expected("a whole number");
    return std::nullopt;
  }
  const auto write = [](std::int64_t limit) { return std::to_string(limit); };
  return in_range(at, *value, Bounds<std::int64_t>{least, most}, write) ? value : std::nullopt;
}

std::optional<double> Real::operator()(const Cursor& at) const {
  const std::string* text = at.scalar("a number");
  if (text == nullptr || quoted(at, "a number")) return std::nullopt;
  const std::optional<double> value = parse_real(*text);
  if (!value) {
    at.expected("a number");
    return std::nullopt;
  }
  const auto write = [](double limit) { return fmt::format("{}", limit); };
  return in_range(at, *value, Bounds<double>{least, most, above_least}, write) ? value : std::nullopt;
}

std::optional<bool> Boolean::operator()(const Cursor& at) const {
  const std::string* text = at.scalar("true or false");
  if (text == nullptr || quoted(at, "true or false")) return std::nullopt;
  if (*text == "true") return true;
  if (*text == "false") return false;
  at.expected("true or false");
  return std::nullopt;
}

std::optional<std::string> Text::operator()(const Cursor& at) const {
  const std::string* text = at.scalar("a text");
  if (text == nullptr) return std::nullopt;
  if (text->empty()) {
    at.problem("the text is empty");
    return std::nullopt;
  }
  if (text->size() > longest) {
    at.problem(fmt::format("a text of {} bytes, but at most {} are allowed", text->size(), longest));
    return std::nullopt;
  }
  return *text;
}

std::optional<double> Quantity::operator()(const Cursor& at) const {
  const std::string* text = at.scalar(dimension.what);
  if (text == nullptr) return std::nullopt;
  const QuantityResult result = parse_quantity(*text, dimension);
  if (!result.value) {
    at.problem(result.message, result.hint);
    return std::nullopt;
  }
  const auto write = [this](double limit) { return format_quantity(limit, dimension); };
  return in_range(at, *result.value, Bounds<double>{least, most, above_least, reason}, write) ? result.value
                                                                                              : std::nullopt;
}

std::optional<std::size_t> choose(const Cursor& at, const std::string& what,
                                  const std::vector<std::string>& names, Spelled spelled) {
  const std::string* text = at.scalar(what);
  if (text == nullptr) return std::nullopt;
  const auto index = [&](const std::string& name) {
    const auto is = [&](const auto& one) {
      return spelled != nullptr ? edit_distance(one, name) == 0 : one == name;
    };
    return static_cast<std::size_t>(std::ranges::find_if(names, is) - names.begin());
  };
  std::vector<std::string> meant = spelled != nullptr ? spelled(*text) : std::vector{*text};
  std::erase_if(meant, [&](const std::string& name) { return index(name) == names.size(); });
  if (meant.size() == 1) return index(meant.front());
  at.problem(fmt::format("'{}' is not {}", printable(*text), what),
             meant.empty() ? spelling_hint(*text, names) : did_you_mean(std::move(meant)));
  return std::nullopt;
}

}  // namespace jostle::input
