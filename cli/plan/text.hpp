// Plans and comparisons of online tuners as text and as JSON.
#pragma once

#include <string>

#include "analyses/plan/online.hpp"
#include "analyses/plan/plan.hpp"

namespace jostle::cli {

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string plan_text(const std::string& file, const analyses::Plan& plan, int width,
                                    bool colour);

// {"schema":"jostle.plan/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string plan_json(const analyses::Plan& plan);

// "741.1 images/s": a value of the metric at this path, with four significant digits.
[[nodiscard]] std::string value_with_unit(const std::string& metric, double value);

// "98.2 %"; of what is all but certain "> 99.99 %".
[[nodiscard]] std::string probability_text(double p);

// A comparison of online tuners with windows of `window_s` seconds each.
struct OnlineAnswer {
  const analyses::Candidates& candidates;
  const analyses::OnlineComparison& comparison;
  double window_s;
};
[[nodiscard]] std::string online_text(const std::string& file, const OnlineAnswer& answer, int width,
                                      bool colour);
// {"schema":"jostle.online/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string online_json(const OnlineAnswer& answer);

}  // namespace jostle::cli
