// How many requests a scenario makes, cascades followed to their begin.
#pragma once

#include <map>

#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

struct Offered {
  double per_s = 0;     // of all processes of the entry; 0 where a closed loop or a trace is at the begin
  double for_each = 1;  // that one served image at the begin of its cascade makes in the mean
};
// Of every part. The scenario's cascades must have a begin.
[[nodiscard]] std::map<PartId, Offered> offered(const Scenario& scenario);

}  // namespace jostle::scenarios
