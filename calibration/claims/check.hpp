// The checks of a published statement, each with the claimed and the predicted value and the error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/claims/runs.hpp"

namespace jostle::calibration {

// Tolerances: 15 % for a value or a range of values, 3 % for a bound; a trend must hold exactly.
inline constexpr double value_tolerance = 0.15;
inline constexpr double bound_tolerance = 0.03;

enum class Verdict { holds, fails, shown };  // shown: not judged, because the source contradicts itself

struct Check {
  std::string quantity;       // "resnet50, int8 over fp32"
  std::string claimed;        // "9.75 x"
  std::string predicted;      // "8.63 x"
  std::optional<double> off;  // relative error of a value or bound: (predicted - claimed) / claimed
  Verdict verdict = Verdict::holds;
};

// Collects checks. `unit` is printed after the number.
class Checks {
 public:
  void near(const std::string& quantity, double claimed, double predicted, const std::string& unit = {});
  // Checks a change in percent: within four percentage points, and within half of the change, so that a
  // predicted change of zero never passes for a small one.
  void near_points(const std::string& quantity, double claimed, double predicted);
  // Checks a claimed range, "1 to 2 ms", with the tolerance of a value on both ends.
  void near_range(const std::string& quantity, double low, double high, double predicted,
                  const std::string& unit = {});
  // Checks a bound from `low` to `high`; `off` is the relative distance outside the nearer end.
  void between(const std::string& quantity, double low, double high, double predicted,
               const std::string& unit = {});
  void at_most(const std::string& quantity, double high, double predicted, const std::string& unit = {});
  void at_least(const std::string& quantity, double low, double predicted, const std::string& unit = {});
  // Checks that each value is strictly above, or below, the previous one.
  void rises(const std::string& quantity, const std::vector<double>& predicted);
  void falls(const std::string& quantity, const std::vector<double>& predicted);
  // Checks strict order, greatest first. `claimed` names the values: "resnet50 > yolov8n".
  void ordered(const std::string& quantity, const std::string& claimed, const std::vector<double>& predicted);
  // Checks a constant, up to rounding.
  void equal(const std::string& quantity, double claimed, double predicted, const std::string& unit = {});
  void is(const std::string& quantity, const std::string& claimed, const std::string& predicted, bool holds);
  // Adds a check that is not judged.
  void shows(const std::string& quantity, const std::string& claimed, const std::string& predicted);

  [[nodiscard]] const std::vector<Check>& list() const { return list_; }

 private:
  struct Range {
    double low, high;
    double tolerance;  // relative, on both ends
  };
  void within(const std::string& quantity, const Range& range, double predicted, const std::string& unit);

  std::vector<Check> list_;
};

[[nodiscard]] std::string with_unit(const std::string& text, const std::string& unit);
[[nodiscard]] std::string sequence(const std::vector<double>& values);
// A number with about three digits.
[[nodiscard]] std::string value_text(double value);

// Checks of published statements that are rows of calibration/checks.csv.
//
// A row names a statement and checks an expression over runs (values.hpp) against what is claimed:
//
//   over       settings, separated by semicolons; of several values of one, the row is checked with each.
//              Rows one after the other that begin with the same settings are checked in turn with each
//              value.
//   check      near, near_points, near_range, between, at_most, at_least, equal: `predicted` against the
//              numbers of `claimed`; rises, falls, ordered (greatest first): the values of `predicted`, one
//              after the other; is: `predicted` is a comparison that must hold, and its left side is shown,
//              unless `unit` is two words, the first if it holds ("fits|does not"), or a text with
//              #(expression); shows: not judged; never: `predicted` is a text
//   quantity, claimed, predicted   may contain $name of a setting and $(expression)
//   why        why the check is the one it is, where the statement leaves that open

// Returns whether the table has a row for the statement.
[[nodiscard]] bool has_rows(std::string_view statement);

// Checks all rows of a statement, under the settings of its source.
void check_rows(std::string_view statement, Runs& runs, Checks& checks);

}  // namespace jostle::calibration
