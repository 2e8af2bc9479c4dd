// `fleet` of a study: cameras that boards are sought for (docs/planning.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/study/constraint.hpp"

namespace jostle::scenarios {

struct FleetBoard {
  std::string device;           // as written
  std::optional<double> price;  // of one, in whatever currency
};

struct FleetSection {
  std::int64_t cameras = 1;
  double rate_per_s = 0;  // frames of each
  std::vector<FleetBoard> boards;
  std::vector<Constraint> constraints;  // on every board
};

}  // namespace jostle::scenarios
