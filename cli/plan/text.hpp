// Plans for people, and for programs.
#pragma once

#include <string>

#include "analyses/plan/online.hpp"
#include "analyses/plan/plan.hpp"

namespace jostle::cli {

// Lines of at most `width` columns where the words allow it (60 always do).
[[nodiscard]] std::string plan_text(const std::string& file, const analyses::Plan& plan, int width,
                                    bool colour);

// {"schema":"jostle.plan/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string plan_json(const analyses::Plan& plan);

// Ways to tune a working board against each other; `windows` of `window_s` each.
struct OnlineAnswer {
  const analyses::Candidates& candidates;
  const analyses::OnlineComparison& comparison;
  double window_s;
};
[[nodiscard]] std::string online_text(const std::string& file, const OnlineAnswer& answer, int width,
                                      bool colour);
// {"schema":"jostle.online/1",...}
[[nodiscard]] std::string online_json(const OnlineAnswer& answer);

}  // namespace jostle::cli
