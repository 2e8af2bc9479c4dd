#include "calibration/claims/checks_of_rows.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <span>

#include "calibration/claims/statements.hpp"
#include "calibration/claims/values.hpp"
#include "calibration/evidence/embedded.hpp"
#include "input/csv.hpp"

namespace jostle::calibration {
namespace {

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

// A check of numbers of which the last is predicted, and those before it are claimed.
struct OfNumbers {
  std::string_view name;
  std::size_t claimed;  // how many numbers
  void (*check)(Checks& checks, const CheckRow& row, const List& numbers);
};
constexpr std::array of_numbers{
    OfNumbers{
        "near", 1,
        [](Checks& to, const CheckRow& row, const List& n) { to.near(row.quantity, n[0], n[1], row.unit); }},
    OfNumbers{
        "near_points", 1,
        [](Checks& to, const CheckRow& row, const List& n) { to.near_points(row.quantity, n[0], n[1]); }},
    OfNumbers{"near_range", 2,
              [](Checks& to, const CheckRow& row, const List& n) {
                to.near_range(row.quantity, n[0], n[1], n[2], row.unit);
              }},
    OfNumbers{"between", 2,
              [](Checks& to, const CheckRow& row, const List& n) {
                to.between(row.quantity, n[0], n[1], n[2], row.unit);
              }},
    OfNumbers{"at_most", 1,
              [](Checks& to, const CheckRow& row, const List& n) {
                to.at_most(row.quantity, n[0], n[1], row.unit);
              }},
    OfNumbers{"at_least", 1,
              [](Checks& to, const CheckRow& row, const List& n) {
                to.at_least(row.quantity, n[0], n[1], row.unit);
              }},
    OfNumbers{
        "equal", 1,
        [](Checks& to, const CheckRow& row, const List& n) { to.equal(row.quantity, n[0], n[1], row.unit); }},
};

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
    for (const OfNumbers& one : of_numbers) {
      if (one.name != row.check) continue;
      List numbers = values_.list(row.claimed, settings);
      numbers.push_back(values_.one(row.predicted, settings));
      if (numbers.size() != one.claimed + 1)
        throw scenarios::RunError(fmt::format("{} claims another number of values", row.quantity));
      return one.check(checks_, filled, numbers);
    }
    filled.claimed = values_.text(row.claimed, settings);
    if (row.check == "is") return check_comparison(filled, settings);
    if (row.check == "never") return checks_.is(filled.quantity, filled.claimed, row.predicted, false);
    check_list(filled, values_.list(row.predicted, settings));
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

bool has_rows(std::string_view statement) {
  return rows_of_statements().contains(statement);
}

void check_rows(std::string_view statement, Runs& runs, Checks& checks) {
  Settings settings;
  Values::set(settings, "source", source_of(statement));
  RowChecks(runs, checks).check(rows_of_statements().find(statement)->second, 0, settings);
}

}  // namespace jostle::calibration
