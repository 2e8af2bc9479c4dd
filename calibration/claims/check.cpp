#include "calibration/claims/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace jostle::calibration {
namespace {

constexpr double rounding = 1e-6;
constexpr double infinite = std::numeric_limits<double>::infinity();

Verdict verdict(bool holds) {
  return holds ? Verdict::holds : Verdict::fails;
}

bool all_fall(const std::vector<double>& values) {
  return std::ranges::adjacent_find(values, std::less_equal<>()) == values.end();
}

}  // namespace

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : text + " " + unit;
}

std::string sequence(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + value_text(value);
  return text;
}

std::string value_text(double value) {
  const double size = std::abs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  // Whole numbers are printed without decimals.
  if (std::abs(value - std::round(value)) < rounding) return fmt::format("{:.0f}", value);
  return fmt::format(fmt::runtime(size >= 10 ? "{:.1f}" : size >= 0.1 ? "{:.2f}" : "{:.2g}"), value);
}

void Checks::near(const std::string& quantity, double claimed, double predicted, const std::string& unit) {
  const double off = (predicted - claimed) / std::abs(claimed);
  list_.push_back({quantity, with_unit(value_text(claimed), unit), with_unit(value_text(predicted), unit),
                   off, verdict(std::abs(off) <= value_tolerance)});
}

void Checks::near_points(const std::string& quantity, double claimed, double predicted) {
  is(quantity, fmt::format("{:+.1f} %", claimed), fmt::format("{:+.1f} %", predicted),
     std::abs(predicted - claimed) <= std::min(4.0, std::abs(claimed) / 2));
}

void Checks::near_range(const std::string& quantity, double low, double high, double predicted,
                        const std::string& unit) {
  within(quantity, {low, high, value_tolerance}, predicted, unit);
}

void Checks::between(const std::string& quantity, double low, double high, double predicted,
                     const std::string& unit) {
  within(quantity, {low, high, bound_tolerance}, predicted, unit);
}

void Checks::within(const std::string& quantity, const Range& range, double predicted,
                    const std::string& unit) {
  const auto& [low, high, tolerance] = range;
  const std::string claimed = high == infinite   ? "at least " + value_text(low)
                              : low == -infinite ? "at most " + value_text(high)
                                                 : value_text(low) + " to " + value_text(high);
  double off = 0;
  if (predicted < low) off = (predicted - low) / std::abs(low);
  if (predicted > high) off = (predicted - high) / std::abs(high);
  list_.push_back({quantity, with_unit(claimed, unit), with_unit(value_text(predicted), unit), off,
                   verdict(std::abs(off) <= tolerance)});
}

void Checks::at_most(const std::string& quantity, double high, double predicted, const std::string& unit) {
  between(quantity, -infinite, high, predicted, unit);
}

void Checks::at_least(const std::string& quantity, double low, double predicted, const std::string& unit) {
  between(quantity, low, infinite, predicted, unit);
}

void Checks::rises(const std::string& quantity, const std::vector<double>& predicted) {
  is(quantity, "rises", sequence(predicted),
     std::ranges::adjacent_find(predicted, std::greater_equal<>()) == predicted.end());
}

void Checks::falls(const std::string& quantity, const std::vector<double>& predicted) {
  is(quantity, "falls", sequence(predicted), all_fall(predicted));
}

void Checks::ordered(const std::string& quantity, const std::string& claimed,
                     const std::vector<double>& predicted) {
  is(quantity, claimed, sequence(predicted), all_fall(predicted));
}

void Checks::equal(const std::string& quantity, double claimed, double predicted, const std::string& unit) {
  is(quantity, with_unit(value_text(claimed), unit), with_unit(value_text(predicted), unit),
     std::abs(predicted - claimed) <= rounding * std::abs(claimed));
}

void Checks::is(const std::string& quantity, const std::string& claimed, const std::string& predicted,
                bool holds) {
  list_.push_back({quantity, claimed, predicted, std::nullopt, verdict(holds)});
}

void Checks::shows(const std::string& quantity, const std::string& claimed, const std::string& predicted) {
  list_.push_back({quantity, claimed, predicted, std::nullopt, Verdict::shown});
}

}  // namespace jostle::calibration
