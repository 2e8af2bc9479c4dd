#include "analyses/plan/words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analyses/plan/goal.hpp"
#include "analyses/study/metric.hpp"
#include "input/quantity.hpp"

namespace jostle::analyses {

std::string percent_words(double share) {
  constexpr double least = 0.05, two_digits = 9.95;
  const double percent = 100 * std::abs(share);
  if (percent < least && percent > 0) return "less than 0.1 %";
  if (percent < two_digits && percent != std::round(percent)) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

std::string served_words(double share) {
  return fmt::format("{:.3g} %", std::floor(1000 * share) / 10);
}

std::string metric_words(const std::string& metric, double value) {
  constexpr int digits = 4;
  if (metric == headroom_metric) return percent_words(value);
  const std::string unit = metric_unit(metric).name;
  return input::decimal(value, digits) + (unit.empty() ? "" : " " + unit);
}

std::string limit_words(const std::string& metric, const Criterion& limit) {
  const char* const sign = limit.maximise ? ">=" : "<=";
  if (metric == headroom_metric) return fmt::format("{} {} {}", metric, sign, percent_words(*limit.limit));
  return fmt::format("{} {} {:.6g}", metric, sign, *limit.limit);
}

}  // namespace jostle::analyses
