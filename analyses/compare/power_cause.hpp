// Why B takes more or less power or energy than A, from the two results' own accounts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyses/compare/cause.hpp"

namespace jostle::analyses {

// The parts of the power that changed most: "3.2 W more of the GPU and 1.4 W more of the memory chips". Empty
// if the powers are the same or have no parts.
[[nodiscard]] std::string power_cause(const scenarios::Result& a, const scenarios::Result& b);

// "an image costs 28.2 mJ in place of 10.4, as it takes 7 times as long but only needs 39 % of the power".
// Empty if a side has no images.
[[nodiscard]] std::string energy_cause(const scenarios::Result& a, const scenarios::Result& b);

// The causes of a difference in a metric of objectives ("system.power_w"): of power its own; of energy its
// own and then those of the time of an image, at most two; of a rate or a latency causes_of().
[[nodiscard]] std::vector<std::string> causes_for(std::string_view metric, const Compared& compared,
                                                  const SideNames& names);

}  // namespace jostle::analyses
