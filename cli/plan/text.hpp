// Plans and comparisons of online tuners as text.
#pragma once

#include <string>

#include "analyses/plan/plan_json.hpp"

namespace jostle::cli {

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string plan_text(const std::string& file, const analyses::Plan& plan, int width,
                                    bool colour);

// "741.1 images/s": a value of the metric at this path, with four significant digits.
[[nodiscard]] std::string value_with_unit(const std::string& metric, double value);

// "98.2 %"; of what is all but certain "> 99.99 %".
[[nodiscard]] std::string probability_text(double p);

[[nodiscard]] std::string online_text(const std::string& file, const analyses::OnlineAnswer& answer,
                                      int width, bool colour);
}  // namespace jostle::cli
