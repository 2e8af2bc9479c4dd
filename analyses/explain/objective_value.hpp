// The value of a scenario's objective before and after a change.
#pragma once

#include "analyses/explain/explain.hpp"
#include "scenarios/language/objective.hpp"

namespace jostle::analyses {

// Rates are sums over the parts that the objective names, times are means over them. A side is absent if the
// metric is, for one of these parts, or if there are none.
[[nodiscard]] Change objective_change(const scenarios::Objective& objective, const Tried& tried,
                                      const scenarios::Scenario& scenario, const scenarios::Result& before);

}  // namespace jostle::analyses
