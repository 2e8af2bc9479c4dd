// The power, clocks and limits of a board during a run, as plain data.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "models/power/controllers/throttle.hpp"
#include "models/power/spec.hpp"

namespace jostle::board {

// The time spent at each clock, in order of clocks.
using StateTimes = std::vector<std::pair<double, double>>;  // Hz, s

// Measurements since the end of the warm-up.
struct PowerReport {
  double seconds = 0;
  power::PerPart joules{};
  double leakage_j = 0;             // leakage for the same activity at the reference temperature
  double peak_w = 0;                // at the module's input: the highest mean over a window
  std::vector<double> rail_peak_w;  // the same for each rail
  bool has_temperature = false;
  double celsius = 0, peak_celsius = 0;  // the chip's: at the end, and the maximum
  std::vector<StateTimes> clusters;
  StateTimes gpu, emc;
  // Seconds for which each cause limited a clock (power::Cause).
  std::array<double, power::cause_names.size()> held_s{};
  double unmet_budget_s = 0;  // with no clock left to lower, over the budget of the power cap or limit
};

}  // namespace jostle::board
