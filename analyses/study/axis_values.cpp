#include "analyses/study/axis_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "input/printable.hpp"
#include "input/units.hpp"

namespace jostle::analyses {
namespace {

using input::Cursor;

// A number as written: digits · 10^-decimals, and its unit.
struct Decimal {
  std::int64_t digits = 0;
  int decimals = 0;
  std::string unit;
};

constexpr std::size_t max_digits = 15;  // keeps sums within 64 bits
constexpr int max_exponent = 18;

// The exponent of a number from its last part ("e+03" of "1.8e+03"); 0 if there is none.
int exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(text.substr(1).starts_with('+') ? 2 : 1);
  int exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return read.ec == std::errc{} ? std::clamp(exponent, -2 * max_exponent, 2 * max_exponent)
                                : 2 * max_exponent;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  const auto number = input::leading_number(text);
  if (!number || number->rest.find_first_of("-.") == 0) return std::nullopt;
  const std::string_view numeral = text.substr(0, text.size() - number->rest.size());
  const std::size_t end = std::min(numeral.find_first_of("eE"), numeral.size());
  std::string digits(numeral.substr(0, end));
  Decimal decimal;
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    decimal.decimals = static_cast<int>(digits.size() - point - 1);
    if (decimal.decimals == 0) return std::nullopt;
    digits.erase(point, 1);
  }
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  if (digits.empty() || digits.size() > max_digits) return std::nullopt;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    decimal.digits = 10 * decimal.digits + (c - '0');
  }
  if (negative) decimal.digits = -decimal.digits;
  decimal.decimals -= exponent_of(numeral.substr(end));
  if (std::abs(decimal.decimals) > max_exponent) return std::nullopt;
  std::string_view unit = number->rest;
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  decimal.unit = unit;
  return decimal;
}

// Scales the number to more decimals. Returns false if sums could overflow.
bool scale(Decimal& decimal, int decimals) {
  constexpr std::int64_t largest = 100'000'000'000'000'000;
  for (; decimal.decimals < decimals; ++decimal.decimals) {
    if (decimal.digits > largest || decimal.digits < -largest) return false;
    decimal.digits *= 10;
  }
  return true;
}

std::string written(std::int64_t digits, int decimals, const std::string& unit) {
  std::string text = fmt::format("{:0{}d}", digits < 0 ? -digits : digits, decimals + 1);
  if (decimals > 0) {
    text.insert(text.size() - static_cast<std::size_t>(decimals), ".");
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  if (digits < 0) text.insert(0, "-");
  return unit.empty() ? text : text + " " + unit;
}

std::optional<Decimal> read_decimal(const Cursor& at) {
  const std::string* const text = at.scalar("a number, with its unit if it has one");
  if (text == nullptr) return std::nullopt;
  const auto decimal = parse_decimal(*text);
  if (!decimal) at.expected("a decimal number, with its unit if it has one");
  return decimal;
}

std::vector<input::Node> read_range(const Cursor& at) {
  input::Mapping mapping(at, "a list, or {start, stop, step}");
  Decimal start, stop, step;
  bool good = mapping.required("start", start, read_decimal);
  good &= mapping.required("stop", stop, read_decimal);
  good &= mapping.required("step", step, read_decimal);
  if (!good) return {};
  if (start.unit != stop.unit || start.unit != step.unit) {
    at.problem(
        fmt::format("start, stop and step have the units '{}', '{}' and '{}'", input::printable(start.unit),
                    input::printable(stop.unit), input::printable(step.unit)),
        "write all three in the same unit");
    return {};
  }
  const int decimals = std::max({0, start.decimals, stop.decimals, step.decimals});
  if (!scale(start, decimals) || !scale(stop, decimals) || !scale(step, decimals)) {
    at.problem("too many digits");
    return {};
  }
  if (step.digits <= 0) {
    at.problem("step must be positive");
    return {};
  }
  if (stop.digits < start.digits) {
    at.problem("stop is below start");
    return {};
  }
  const auto count = static_cast<std::size_t>((stop.digits - start.digits) / step.digits) + 1;
  if (count > max_axis_values) {
    at.problem(fmt::format("{} values, at most {} are allowed", count, max_axis_values));
    return {};
  }
  std::vector<input::Node> values;
  for (std::size_t i = 0; i < count; ++i) {
    auto value = std::make_shared<input::Value>();
    value->kind = input::Kind::scalar;
    value->location = at.location();
    value->text = written(start.digits + static_cast<std::int64_t>(i) * step.digits, decimals, start.unit);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

std::vector<input::Node> read_axis_values(const Cursor& at) {
  if (at.is(input::Kind::mapping)) return read_range(at);
  if (!at.is(input::Kind::sequence)) {
    at.expected("a list of values, or {start, stop, step}");
    return {};
  }
  if (at.value().children.empty())
    at.problem("no values", "remove the key to keep the value of the scenario");
  std::vector<input::Node> values;
  for (const Cursor& item : at.items("a list of values", max_axis_values)) values.push_back(item.node());
  return values;
}

}  // namespace jostle::analyses
