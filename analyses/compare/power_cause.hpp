// Why B takes more or less power or energy than A, from the two results' own accounts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyses/compare/cause.hpp"

namespace jostle::analyses {

// The causes of a difference in a metric of objectives ("system.power_w"): of power its own; of energy its
// own and then those of the time of an image, at most two; of a rate or a latency causes_of().
[[nodiscard]] std::vector<std::string> causes_for(std::string_view metric, const Compared& compared,
                                                  const SideNames& names);

}  // namespace jostle::analyses
