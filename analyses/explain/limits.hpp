// The limits that hold clocks down: how long they do, what that costs, and what would end it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::analyses {

struct Tried;

struct ActiveLimit {
  std::string name;                   // "thermal", as in limited_share
  double share = 0;                   // share of the time
  std::vector<std::size_t> ended_by;  // indices of changes that one can make, after which it no longer binds
  std::string sentence;
};

// The limits, other than the power mode, that hold a clock down for at least 1 % of the time; the longest
// first.
[[nodiscard]] std::vector<ActiveLimit> active_limits(const scenarios::Result& result,
                                                     const std::vector<Tried>& tried);

}  // namespace jostle::analyses
