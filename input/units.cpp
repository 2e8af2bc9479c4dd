#include "input/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "input/printable.hpp"
#include "input/spelling.hpp"

namespace jostle::input {
namespace {

std::string unit_list(const Dimension& dimension) {
  std::string result;
  for (const Unit& unit : dimension.units) {
    result += (result.empty() ? "" : ", ") + std::string(unit.name);
  }
  return result;
}

std::string expected_units(const Dimension& dimension) {
  return fmt::format("{} in {}: for example '{}'", dimension.what, unit_list(dimension), dimension.example);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

const Dimension& time_dimension() {
  static const Dimension dimension{
      "a time", "5 ms", {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}}};
  return dimension;
}

const Dimension& frequency_dimension() {
  static const Dimension dimension{
      "a frequency", "1344 MHz", {{"GHz", 1e9}, {"MHz", 1e6}, {"kHz", 1e3}, {"Hz", 1}}};
  return dimension;
}

const Dimension& rate_dimension() {
  static const Dimension dimension{"a rate", "30 /s", {{"/s", 1}, {"Hz", 1}, {"kHz", 1e3}, {"fps", 1}}};
  return dimension;
}

const Dimension& size_dimension() {
  static const Dimension dimension{"a size",
                                   "256 KiB",
                                   {{"GiB", 1073741824.0},
                                    {"GB", 1e9},
                                    {"MiB", 1048576.0},
                                    {"MB", 1e6},
                                    {"KiB", 1024.0},
                                    {"KB", 1e3},
                                    {"kB", 1e3},
                                    {"B", 1}}};
  return dimension;
}

const Dimension& bandwidth_dimension() {
  static const Dimension dimension{"a bandwidth",
                                   "50 Mbit/s",
                                   {{"TB/s", 1e12},
                                    {"GB/s", 1e9},
                                    {"Gbit/s", 1.25e8},
                                    {"MB/s", 1e6},
                                    {"Mbit/s", 1.25e5},
                                    {"kB/s", 1e3},
                                    {"kbit/s", 125},
                                    {"B/s", 1},
                                    {"bit/s", 0.125}}};
  return dimension;
}

const Dimension& power_dimension() {
  static const Dimension dimension{"a power", "10 W", {{"W", 1}, {"mW", 1e-3}}};
  return dimension;
}

const Dimension& energy_dimension() {
  static const Dimension dimension{
      "an energy", "5 mJ", {{"kJ", 1e3}, {"J", 1}, {"mJ", 1e-3}, {"uJ", 1e-6}, {"pJ", 1e-12}}};
  return dimension;
}

const Dimension& voltage_dimension() {
  static const Dimension dimension{"a voltage", "0.85 V", {{"V", 1}, {"mV", 1e-3}}};
  return dimension;
}

const Dimension& current_dimension() {
  static const Dimension dimension{"a current", "3 A", {{"A", 1}, {"mA", 1e-3}}};
  return dimension;
}

const Dimension& capacitance_dimension() {
  static const Dimension dimension{"a capacitance", "0.3 nF", {{"uF", 1e-6}, {"nF", 1e-9}, {"pF", 1e-12}}};
  return dimension;
}

const Dimension& energy_per_byte_dimension() {
  static const Dimension dimension{"an energy per byte", "60 pJ/B", {{"nJ/B", 1e-9}, {"pJ/B", 1e-12}}};
  return dimension;
}

const Dimension& energy_per_bit_dimension() {
  static const Dimension dimension{
      "an energy per bit", "50 nJ/bit", {{"uJ/bit", 1e-6}, {"nJ/bit", 1e-9}, {"pJ/bit", 1e-12}}};
  return dimension;
}

const Dimension& power_per_frequency_dimension() {
  static const Dimension dimension{"a power per clock", "0.2 mW/MHz", {{"mW/MHz", 1e-9}, {"uW/MHz", 1e-12}}};
  return dimension;
}

const Dimension& share_dimension() {
  static const Dimension dimension{"a percentage", "1 %", {{"%", 0.01}}};
  return dimension;
}

const Dimension& drift_dimension() {
  static const Dimension dimension{"a clock drift", "20 ppm", {{"ppm", 1e-6}, {"%", 0.01}}};
  return dimension;
}

const Dimension& temperature_dimension() {
  static const Dimension dimension{"a temperature", "25 degC", {{"degC", 1}}};
  return dimension;
}

const Dimension& temperature_rise_dimension() {
  static const Dimension dimension{"a temperature difference", "2 K", {{"K", 1}}};
  return dimension;
}

const Dimension& thermal_resistance_dimension() {
  static const Dimension dimension{"a thermal resistance", "1.5 K/W", {{"K/W", 1}}};
  return dimension;
}

const Dimension& price_dimension() {
  static const Dimension dimension{"a price", "249 USD", {{"USD", 1}}};
  return dimension;
}

const Dimension& price_per_time_dimension() {
  static const Dimension dimension{"a price per time", "0.53 USD/h", {{"USD/h", 1}}};
  return dimension;
}

const Dimension& price_per_size_dimension() {
  static const Dimension dimension{"a price per size", "0.09 USD/GB", {{"USD/GB", 1}}};
  return dimension;
}

const Dimension& price_per_energy_dimension() {
  static const Dimension dimension{"a price per energy", "0.2 USD/kWh", {{"USD/kWh", 1}}};
  return dimension;
}

const Dimension& service_life_dimension() {
  static const Dimension dimension{"a service life", "3 years", {{"years", 8760}, {"h", 1}}};
  return dimension;
}

std::optional<LeadingNumber> leading_number(std::string_view text) {
  LeadingNumber found;
  // from_chars ignores the locale, but accepts "inf" and "nan", which are no valid parameters.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found.number);
  if (error != std::errc{} || !std::isfinite(found.number)) return std::nullopt;
  found.rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return found;
}

std::optional<double> parse_real(std::string_view text) {
  const auto found = leading_number(text);
  return found && found->rest.empty() ? std::optional(found->number) : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text, bool& overflow) {
  overflow = false;
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  overflow = error == std::errc::result_out_of_range;
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

QuantityResult parse_quantity(std::string_view text, const Dimension& dimension) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto shown = [&] { return printable(text); };
  const bool starts_as_number =
      !text.empty() && (is_digit(text[0]) || text[0] == '.' ||
                        (text.size() > 1 && text[0] == '-' && text[1] != 'i' && text[1] != 'n'));
  if (!starts_as_number || (error != std::errc{} && error != std::errc::result_out_of_range)) {
    return {{}, fmt::format("'{}' is not {}", shown(), dimension.what), expected_units(dimension)};
  }
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.empty())
    return {{}, fmt::format("'{}' has no unit", shown()), "expected " + expected_units(dimension)};
  if (unit.starts_with("\xC2\xB5") || unit.starts_with("\xCE\xBC")) {  // micro sign, Greek mu
    if (unit.substr(2) == "s") unit = "us";
  }
  for (const Unit& known : dimension.units) {
    if (known.name != unit) continue;
    const double value = number * known.factor;
    if (error != std::errc{} || !std::isfinite(value)) {
      return {{}, fmt::format("'{}' is too large for this program", shown()), {}};
    }
    return {value, {}, {}};
  }
  std::vector<std::string> names;
  for (const Unit& known : dimension.units) names.emplace_back(known.name);
  const std::string near = nearest(unit, names);
  return {{},
          fmt::format("'{}' has the unknown unit '{}'", shown(), printable(unit)),
          (near.empty() ? "expected " : fmt::format("did you mean '{}'? expected ", near)) +
              expected_units(dimension)};
}

std::string format_quantity(double value, const Dimension& dimension) {
  if (value == 0) return fmt::format("0 {}", dimension.units.front().name);
  const Unit* best = &*std::ranges::min_element(dimension.units, {}, &Unit::factor);
  for (const Unit& unit : dimension.units) {  // the largest unit without leading zeros
    if (std::abs(value) >= unit.factor && (unit.factor > best->factor || std::abs(value) < best->factor))
      best = &unit;
  }
  const double number = value / best->factor;
  // With fifteen digits, a number typed in decimal is printed as it was typed.
  return fmt::format("{:.15g} {}", number, best->name);
}

std::string Written::times(double ratio) const {
  return fmt::format("{:.6g}{}{}", number * ratio, unit.empty() ? "" : " ", unit);
}

std::optional<Written> quantity(std::string_view text) {
  auto found = amount(text);
  return found && found->number > 0 ? std::move(found) : std::nullopt;
}

std::optional<Written> amount(std::string_view text) {
  const auto found = leading_number(text);
  if (!found || found->number < 0) return std::nullopt;
  return Written{found->number, std::string(found->rest.substr(found->rest.starts_with(' ') ? 1 : 0))};
}

std::string decimal(double value, int digits) {
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t mark = rounded.find('e');
  const auto number = parse_real(rounded);
  if (!number || mark == std::string::npos) return rounded;  // not finite
  const int exponent = std::stoi(rounded.substr(mark + 1));
  std::string text = fmt::format("{:.{}f}", *number, std::max(digits - 1 - exponent, 0));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace jostle::input
