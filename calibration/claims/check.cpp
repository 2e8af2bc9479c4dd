#include "calibration/claims/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include "calibration/claims/reproduce.hpp"
#include "calibration/claims/values.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"

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

// A row of the table, or what became of it under settings.
struct CheckRow {
  std::vector<std::string> over;
  std::string check, quantity, claimed, predicted, unit;
};

const std::map<std::string, std::vector<CheckRow>, std::less<>>& rows_of_statements() {
  static const auto rows = [] {
    constexpr const char* file = "checks.csv";
    const auto table = input::CsvTable::parse(evidence_file(file).value_or(""), file);
    std::map<std::string, std::vector<CheckRow>, std::less<>> all;
    for (const input::CsvTable::Row row : table) {
      std::vector<std::string> over = split(row.text("over"), ';');
      if (over.front().empty()) over.clear();
      all[row.text("statement")].push_back({over, row.text("check"), row.text("quantity"),
                                            row.text("claimed"), row.text("predicted"), row.text("unit")});
    }
    return all;
  }();
  return rows;
}

// The checks of a predicted number against those that are claimed.
constexpr std::array<std::string_view, 7> of_numbers{"near",    "near_points", "near_range", "between",
                                                     "at_most", "at_least",    "equal"};

class RowChecks {
 public:
  RowChecks(Runs& runs, Checks& checks) : values_(runs), checks_(checks) {}

  void check(std::span<const CheckRow> rows, std::size_t depth, const Settings& settings) {
    for (std::size_t i = 0; i < rows.size();) {
      if (rows[i].over.size() == depth) {
        check(rows[i++], settings);
        continue;
      }
      const std::string& over = rows[i].over[depth];
      std::size_t end = i + 1;
      while (end < rows.size() && rows[end].over.size() > depth && rows[end].over[depth] == over) ++end;
      for (const Settings& each : values_.combinations(over, settings))
        check(rows.subspan(i, end - i), depth + 1, each);
      i = end;
    }
  }

 private:
  void check(const CheckRow& row, const Settings& settings) {
    CheckRow filled = row;
    filled.quantity = values_.text(row.quantity, settings);
    if (std::ranges::find(of_numbers, row.check) != of_numbers.end()) return check_numbers(filled, settings);
    filled.claimed = values_.text(row.claimed, settings);
    if (row.check == "is") return check_comparison(filled, settings);
    if (row.check == "never") return checks_.is(filled.quantity, filled.claimed, row.predicted, false);
    check_list(filled, values_.list(row.predicted, settings));
  }

  void check_numbers(const CheckRow& row, const Settings& settings) {
    const auto& [over, check, quantity, claimed, predicted, unit] = row;
    const List n = values_.list(claimed, settings);
    const double found = values_.one(predicted, settings);
    const bool range = check == "near_range" || check == "between";
    if (n.size() != (range ? 2 : 1))
      throw scenarios::RunError(fmt::format("{} claims another number of values", quantity));
    if (check == "near") return checks_.near(quantity, n[0], found, unit);
    if (check == "near_points") return checks_.near_points(quantity, n[0], found);
    if (check == "near_range") return checks_.near_range(quantity, n[0], n[1], found, unit);
    if (check == "between") return checks_.between(quantity, n[0], n[1], found, unit);
    if (check == "at_most") return checks_.at_most(quantity, n[0], found, unit);
    if (check == "at_least") return checks_.at_least(quantity, n[0], found, unit);
    checks_.equal(quantity, n[0], found, unit);
  }

  void check_comparison(const CheckRow& row, const Settings& settings) {
    const bool holds = values_.one(row.predicted, settings) > 0;
    const std::string left = split(split(row.predicted, '<').front(), '>').front();
    const std::vector<std::string> words = split(row.unit, '|');
    checks_.is(row.quantity, row.claimed,
               words.size() == 2            ? words[holds ? 0 : 1]
               : row.unit.starts_with("#(") ? values_.text(row.unit, settings)
                                            : with_unit(value_text(values_.one(left, settings)), row.unit),
               holds);
  }

  void check_list(const CheckRow& row, const List& predicted) {
    if (row.check == "rises") return checks_.rises(row.quantity, predicted);
    if (row.check == "falls") return checks_.falls(row.quantity, predicted);
    if (row.check == "ordered") return checks_.ordered(row.quantity, row.claimed, predicted);
    if (row.check != "shows") throw scenarios::RunError(fmt::format("no check '{}'", row.check));
    checks_.shows(row.quantity, row.claimed, with_unit(sequence(predicted), row.unit));
  }

  Values values_;
  Checks& checks_;
};

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

bool has_rows(std::string_view statement) {
  return rows_of_statements().contains(statement);
}

void check_rows(std::string_view statement, Runs& runs, Checks& checks) {
  Settings settings;
  Values::set(settings, "source", source_of(statement));
  RowChecks(runs, checks).check(rows_of_statements().find(statement)->second, 0, settings);
}

}  // namespace jostle::calibration
