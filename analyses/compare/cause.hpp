// Why B is faster or slower than A, from the two results' own accounts: where the time of an image goes, the
// GPU's time for it, the clocks, and the limits that hold them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/compare/compare.hpp"

namespace jostle::analyses {

inline constexpr double no_cause_within = 0.01;  // relative differences up to here are no cause
inline constexpr double least_part = 0.2;        // the share of a change from which a part of it is named
inline constexpr std::size_t most_parts = 2;     // parts that are named

// The names of the two sides in sentences.
struct SideNames {
  std::string a = "A", b = "B";
};

// At most two sentences, without full stops. The first says which parts of an image's time changed most, for
// the pair of processes that made the difference: "B is faster because detector takes 2.75 ms an image in
// place of 4.51: 0.9 ms less waiting for another process's slice and 0.85 ms less executing on the GPU
// (memory 94 %)". The second says what changed behind that: a limit, a clock, the number of processes, or the
// GPU's own time for an image. If only one side has turns, the second comes first. Empty if a side has no
// account of its time.
[[nodiscard]] std::vector<std::string> causes_of(const Compared& compared, const SideNames& names = {});

// The causes of a difference in a metric of objectives ("system.power_w"): of power its own; of energy its
// own and then those of the time of an image, at most two; of a rate or a latency causes_of().
[[nodiscard]] std::vector<std::string> causes_for(std::string_view metric, const Compared& compared,
                                                  const SideNames& names);

}  // namespace jostle::analyses
