// The request rates of a scenario. The rate of a cascade follows from its first process.
#pragma once

#include <map>

#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

struct Offered {
  double per_s = 0;  // rate of all processes of the entry; 0 if a closed loop or a trace starts the cascade
  double per_source_image = 1;  // mean number of requests that one image at the start of its cascade causes
};
// The rates of every part. The scenario's cascades must have a beginning.
[[nodiscard]] std::map<PartId, Offered> offered(const Scenario& scenario);

// The default length of a run: 4 s, and as long as p99 of its slowest periodic or Poisson source takes, of
// those with 20 requests/s or more, at the most 25 s.
[[nodiscard]] sim::Duration default_duration(const Scenario& scenario);

}  // namespace jostle::scenarios
