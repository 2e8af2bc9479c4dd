// `fleet` of a study: cameras that boards are sought for (docs/planning.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/constraint.hpp"
#include "input/cursor.hpp"

namespace jostle::analyses {

struct Study;

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

// Adds the kinds of board as values of `device`.
void read_fleet(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
