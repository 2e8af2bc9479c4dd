// Plans in words, for terminal and page, and comparisons of online tuners as text.
#pragma once

#include <string>

#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/plan.hpp"
#include "cli/page/html_page.hpp"

namespace jostle::cli {

// `scenario`: that of the best point, or of any if there is no best.
[[nodiscard]] PageWords plan_words(const analyses::Plan& plan, const scenarios::InWords& scenario);

// analyses::metric_words(): "741 images/s".
[[nodiscard]] std::string value_with_unit(const std::string& metric, double value);

// A share of repeats of the simulation: "98.2 %"; beyond 99 % "> 99 %", as a real board differs by more than
// they do.
[[nodiscard]] std::string probability_text(double p);

[[nodiscard]] std::string online_text(const std::string& file, const analyses::OnlineAnswer& answer,
                                      int width, bool colour);

// `scenario`: that of one of its configurations.
[[nodiscard]] PageWords fleet_words(const analyses::Fleet& fleet, const scenarios::InWords& scenario);

}  // namespace jostle::cli
