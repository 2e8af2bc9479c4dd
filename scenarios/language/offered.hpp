// The request rates of a scenario, with cascades followed to their beginning.
#pragma once

#include <map>

#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

struct Offered {
  double per_s = 0;  // rate of all processes of the entry; 0 if a closed loop or a trace is at the beginning
  double for_each = 1;  // mean number of requests caused by one served image at the beginning of its cascade
};
// The rates of every part. The scenario's cascades must have a beginning.
[[nodiscard]] std::map<PartId, Offered> offered(const Scenario& scenario);

}  // namespace jostle::scenarios
