// The section `fleet` of a study: the cameras to find boards for (docs/planning.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/constraint.hpp"
#include "analyses/study/costs.hpp"
#include "input/cursor.hpp"

namespace jostle::analyses {

struct Study;

struct FleetBoard {
  std::string device;              // as written
  std::optional<double> price;     // of one board, bought; absent: its profile's
  std::optional<double> per_hour;  // of one, rented; absent: its profile's, if it has no price of a board
};

struct FleetSection {
  std::int64_t cameras = 1;
  double rate_per_s = 0;  // frames/s of each camera
  std::vector<FleetBoard> boards;
  std::vector<Constraint> constraints;  // on every board
  Costs costs;
  bool every_mode = false;  // the study names no power mode, so each board has all of its own
};

// Reads the section and adds the boards to the study as an axis `device`; unless the study sets `power_mode`,
// with an axis `power_mode` beside it: each board in each of its modes.
void read_fleet(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
