// Plans and comparisons of online tuners as text.
#pragma once

#include <string>

#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/plan.hpp"
#include "cli/page/html_page.hpp"

namespace jostle::cli {

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string plan_text(const std::string& file, const analyses::Plan& plan, int width,
                                    bool colour);

// The same for the head of a page; `scenario`: that of the best point, or of any if there is no best.
[[nodiscard]] PageWords plan_words(const analyses::Plan& plan, const scenarios::InWords& scenario);

// A limit or an objective in words: "max system.throughput", "headroom >= 20 %".
[[nodiscard]] std::string criterion_text(const analyses::Goal& goal, std::size_t criterion);

// A value of the metric at this path with its unit and four significant digits: "741.1 images/s".
[[nodiscard]] std::string value_with_unit(const std::string& metric, double value);

// A share of repeats of the simulation: "98.2 %"; beyond 99 % "> 99 %", as a real board differs by more than
// they do.
[[nodiscard]] std::string probability_text(double p);

[[nodiscard]] std::string online_text(const std::string& file, const analyses::OnlineAnswer& answer,
                                      int width, bool colour);

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string fleet_text(const std::string& file, const analyses::Fleet& fleet, int width,
                                     bool colour);

// The same for the head of a page; `scenario`: that of one of its configurations.
[[nodiscard]] PageWords fleet_words(const analyses::Fleet& fleet, const scenarios::InWords& scenario);

}  // namespace jostle::cli
