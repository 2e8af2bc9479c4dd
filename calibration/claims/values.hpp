// Values of expressions over runs, by which published statements are checked:
//
//   system.throughput[precision=int8] / system.throughput[precision=fp32]
//   max(watts[batch=1|2|4; count=1..8; fit])
//
// A name is a setting, a metric of calibration/settings.csv (an expression of its own), a path in the JSON of
// a result (`*`: every entry), `held.` and a path in a result without a run (memory only), `fit` (1 if all
// processes fit into memory, else 0), or `device.` and a constant of the profile. Behind it brackets change
// settings for it: several values of one, and combinations of several, give a list of values, those of the
// last setting side by side. `1..4` is a range, `all` all clocks of the board, `highest` the highest of them,
// a value in parentheses an expression; `fit` leaves out the combinations that do not fit into memory.
//
// Lists are combined value by value, or each value with a single one. `(a, b)` joins lists. `<` and `>` are 1
// or 0. The functions: max, min, sum, mean, count, abs, first, last, middle (of a list, the later of two),
// rest (all but the first), steps (each over the one before), drops (each less the next), span (greatest less
// least), more(a, b) (a over b, in percent more), round(a, digits), pick(a, b) (the value of `a` where `b` is
// least), most_often.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/claims/runs.hpp"

namespace jostle::calibration {

using List = std::vector<double>;

// Two lists by an operator (+ - * / < >), value by value, or each with the value of a list of one.
[[nodiscard]] List combined(char sign, const List& a, const List& b);

// A function of lists, by its name. Throws RunError if there is no such function, if it takes another number
// of lists, or if a list is too short.
[[nodiscard]] List function_of(const std::string& name, const std::vector<List>& lists);

// Settings by name. A value may contain $name and $(expression), which are replaced where it is used.
using Settings = std::map<std::string, std::string, std::less<>>;

// Splits a text at `separator`, but not within brackets, braces and parentheses, and trims the parts.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

class Values {
 public:
  explicit Values(Runs& runs) : runs_(runs) {}

  // Sets `name` and all that calibration/settings.csv says follows from it.
  static void set(Settings& settings, std::string_view name, std::string_view value);
  // Each combination of the settings in the text of a pair of brackets.
  [[nodiscard]] std::vector<Settings> combinations(std::string_view text, const Settings& settings);

  // The values of expressions, which are separated by commas. Throws RunError if a metric is not available,
  // or the text is not an expression.
  [[nodiscard]] List list(std::string_view expression, const Settings& settings);
  // The first of them. Throws RunError if there is none.
  [[nodiscard]] double one(std::string_view expression, const Settings& settings);
  // A text with its $name and $(expression) replaced; #(expression) is a number of some three digits.
  [[nodiscard]] std::string text(std::string_view text, const Settings& settings);

 private:
  friend class Parser;
  [[nodiscard]] List named(const std::string& name, const Settings& settings);
  [[nodiscard]] List in_brackets(const std::string& name, std::string_view brackets,
                                 const Settings& settings);
  [[nodiscard]] std::vector<std::string> alternatives(std::string_view value, const std::string& name,
                                                      const Settings& settings);
  [[nodiscard]] std::string scenario(const Settings& settings) { return text("$text", settings); }

  Runs& runs_;
};

// A constant of a shipped profile, by the name behind `device.`; `mode` is a power mode, for what depends on
// it. Throws RunError.
[[nodiscard]] double device_constant(const std::string& device, std::string_view name,
                                     const std::string& mode);
// The clocks, in MHz, at which a board's "cpu" or "gpu" can run in a power mode. Throws RunError.
[[nodiscard]] List clocks_of(const std::string& device, const std::string& mode, std::string_view domain);

}  // namespace jostle::calibration
