// The section `fleet` of a study: the cameras for which boards are planned (docs/planning.md).
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
  std::string device;              // name or path in the file
  std::optional<double> price;     // price of a board; absent: the profile's
  std::optional<double> per_hour;  // rent of a board; absent: the profile's, unless it has a price
};

struct FleetSection {
  std::int64_t cameras = 1;
  double rate_per_s = 0;  // frames/s per camera
  std::vector<FleetBoard> boards;
  std::vector<Constraint> constraints;  // for every board
  Costs costs;
  double headroom = 0;      // share of the stable rate that every board must keep free
  bool every_mode = false;  // the study names no power mode, so each board has all of its own
};

// Reads the section and adds the boards to the study as an axis `device`. Unless the study sets `power_mode`,
// an axis `power_mode` varies with it: each board in each of its modes.
void read_fleet(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
