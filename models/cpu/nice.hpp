// The kernel's weight of a nice level: one level changes the share of the processor by about a quarter.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace jostle::cpu {

inline constexpr std::int64_t nice_0_weight = 1024;

// sched_prio_to_weight of kernel/sched/core.c; `nice` outside [-20, 19] is clamped, as setpriority does.
[[nodiscard]] constexpr std::int64_t weight_of_nice(int nice) {
  constexpr std::array<std::int64_t, 40> weights{
      88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
      3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
      172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};
  const int index = std::clamp(nice, -20, 19) + 20;
  return weights[static_cast<std::size_t>(index)];
}

}  // namespace jostle::cpu
