// Plans and comparisons of online tuners as one JSON object each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyses/plan/online.hpp"
#include "analyses/plan/plan.hpp"

namespace jostle::analyses {

// {"schema":"jostle.plan/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string plan_json(const Plan& plan);

// {"unit":"cameras",...}; keys: docs/planning.md.
[[nodiscard]] nlohmann::ordered_json overload_json(const OverloadDistance& distance);

// A comparison of online tuners with windows of `window_s` seconds each.
struct OnlineAnswer {
  const Candidates& candidates;
  const OnlineComparison& comparison;
  double window_s;
};
// power_note() of the true optimum's board, if the goal rests on its power.
[[nodiscard]] std::string power_note(const OnlineAnswer& answer);
// {"schema":"jostle.online/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string online_json(const OnlineAnswer& answer);

}  // namespace jostle::analyses
