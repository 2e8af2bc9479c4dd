// What a published statement is held against: single checks, each with what it claims, what comes out, and by
// how much that is off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jostle::analyses {

// A value comes out within 15 %, also one that is told as a range; a bound within 3 %; a trend, or the form
// of something, exactly.
inline constexpr double value_tolerance = 0.15;
inline constexpr double bound_tolerance = 0.03;

enum class Verdict { holds, fails, shown };  // shown: not judged, for the source contradicts itself there

struct Check {
  std::string quantity;       // "resnet50, int8 over fp32"
  std::string claimed;        // "9.75 x"
  std::string predicted;      // "8.63 x"
  std::optional<double> off;  // of values and bounds: (predicted - claimed) / claimed
  Verdict verdict = Verdict::holds;
};

// Collects checks. `unit` is for people, and goes behind the number.
class Checks {
 public:
  void near(const std::string& quantity, double claimed, double predicted, const std::string& unit = {});
  // A change told in percent: within four points of it.
  void near_points(const std::string& quantity, double claimed, double predicted);
  // Told as a range, "1 to 2 ms": at most as far outside of it as a value may be off.
  void near_range(const std::string& quantity, double low, double high, double predicted,
                  const std::string& unit = {});
  // A bound from `low` to `high`; `off` is by how much it lies outside, relative to the end it passed.
  void between(const std::string& quantity, double low, double high, double predicted,
               const std::string& unit = {});
  void at_most(const std::string& quantity, double high, double predicted, const std::string& unit = {});
  void at_least(const std::string& quantity, double low, double predicted, const std::string& unit = {});
  // Each strictly above, or below, the one before.
  void rises(const std::string& quantity, const std::vector<double>& predicted);
  void falls(const std::string& quantity, const std::vector<double>& predicted);
  // Strictly ordered, the greatest first: {"resnet50", 300}, {"yolov8n", 100}.
  void ordered(const std::string& quantity, const std::vector<std::pair<std::string, double>>& predicted);
  // A constant, to rounding.
  void equal(const std::string& quantity, double claimed, double predicted, const std::string& unit = {});
  void is(const std::string& quantity, const std::string& claimed, const std::string& predicted, bool holds);
  // Not judged.
  void shows(const std::string& quantity, const std::string& claimed, const std::string& predicted);

  [[nodiscard]] const std::vector<Check>& list() const { return list_; }

 private:
  void within(const std::string& quantity, double low, double high, double predicted, const std::string& unit,
              double tolerance);

  std::vector<Check> list_;
};

// A number as people read it: about three digits.
[[nodiscard]] std::string figure_text(double value);

}  // namespace jostle::analyses
