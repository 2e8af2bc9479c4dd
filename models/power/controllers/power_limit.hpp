// Keeps a card within its own limit of power: the firmware's controller, measured on an H100
// (calibration/evidence/README.md, h100-power).
//
// Once per period it takes the mean power over the window and allows, for the next period,
//   watts = budget + gain x (budget - mean), but at most burst x budget.
// It sets the highest clock at which the load would draw that, if all power that a clock changes follows
// V^2 f. So a load that comes after a pause may exceed the budget until the window has filled, is then cut
// below it, and settles at the budget in a few windows.
//
// The load is that of the last period or the mean of the window, whichever is hungrier: work that comes in
// every other period would else always meet the clock of the empty one before, and exceed the budget. No
// load's power rises faster than V^2 f, so a step never goes too far, and the loop settles for any profile.
#pragma once

#include <cstddef>
#include <vector>

#include "models/power/controllers/spec.hpp"
#include "models/power/controllers/throttle.hpp"
#include "models/power/controllers/voltage.hpp"

namespace jostle::power {

class PowerLimit {
 public:
  // `opps`: the GPU's clocks below and up to its limit, ascending, not empty. `idle_w`: power of the idle
  // card at its highest clock, which it is taken to have drawn before; `fixed_w`: the part of it that no
  // clock of the GPU changes.
  PowerLimit(const PowerLimitSpec& spec, const std::vector<double>& opps, const VoltageCurve& voltage,
             double idle_w, double fixed_w);

  [[nodiscard]] sim::Duration period() const { return spec_.period; }
  // Reads the mean power of the period that ends now, which the GPU spent at `hz`.
  Throttle read(double watts, double hz);
  [[nodiscard]] Throttle throttle() const { return {.cpu_steps = 0, .gpu_steps = steps_, .ratio = 1}; }
  [[nodiscard]] double mean_w() const { return mean_.watts; }
  // True if at the last reading the mean was above the budget, with no clock left to lower.
  [[nodiscard]] bool unmet() const;

 private:
  // A period: its mean power, and what of it a clock changes, as a capacitance.
  struct Reading {
    double watts = 0, farads = 0;
  };

  [[nodiscard]] double allowed_w() const;

  PowerLimitSpec spec_;
  VoltageCurve voltage_;
  std::vector<double> dynamic_;  // power at each clock of `opps`, in units of its capacitance
  double fixed_w_;
  int steps_ = 0;                  // below the highest of `opps`
  Reading mean_;                   // the window's
  std::vector<Reading> readings_;  // in the window, as a ring buffer
  std::size_t next_ = 0;
};

}  // namespace jostle::power
