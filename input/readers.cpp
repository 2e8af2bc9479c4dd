#include "input/readers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "input/printable.hpp"
#include "input/spelling.hpp"

namespace jostle::input {
namespace {

// Checks that a value is inside [least, most]; reports a problem otherwise. `shown` is the value as written,
// `write` formats a limit.
template <class T, class Write>
bool in_range(const Cursor& at, T value, T least, T most, bool above_least, const Write& write,
              std::string_view reason = {}) {
  const std::string shown = printable(at.value().text);
  if (value < least) {
    at.problem(fmt::format("'{}' is below the minimum, {}", shown, write(least)), std::string(reason));
  } else if (above_least && value == least) {
    at.problem(fmt::format("'{}' is not above {}", shown, write(least)), std::string(reason));
  } else if (value > most) {
    at.problem(fmt::format("'{}' is above the maximum, {}", shown, write(most)), std::string(reason));
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
  return in_range(at, *value, least, most, false, write) ? value : std::nullopt;
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
  return in_range(at, *value, least, most, above_least, write) ? value : std::nullopt;
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
  const std::string* text = at.scalar(std::string(dimension.what));
  if (text == nullptr) return std::nullopt;
  const QuantityResult result = parse_quantity(*text, dimension);
  if (!result.value) {
    at.problem(result.message, result.hint);
    return std::nullopt;
  }
  const auto write = [this](double limit) { return format_quantity(limit, dimension); };
  return in_range(at, *result.value, least, most, above_least, write, reason) ? result.value : std::nullopt;
}

std::optional<std::size_t> choose(const Cursor& at, const std::string& what,
                                  const std::vector<std::string>& names) {
  const std::string* text = at.scalar(what);
  if (text == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == *text) return i;
  }
  at.problem(fmt::format("'{}' is not {}", printable(*text), what), spelling_hint(*text, names));
  return std::nullopt;
}

}  // namespace jostle::input
