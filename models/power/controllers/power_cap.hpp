// Keeps the mean power over a window within a budget by lowering clocks in steps: the GPU's first, then the
// CPU's.
//
// The controller gets the mean power of each sampling interval and decides once per interval, one step at a
// time:
//   down  if the readings that the window holds of the present clocks are above the budget on average, and
//         so is the whole window, or energy is owed and clocks have followed the last step;
//   up    if no energy is owed, the window's mean is within the budget, and clocks have followed.
// So where the budget lies between two steps, clocks alternate between them and the mean meets the budget.
// The energy owed is what was drawn above the budget and has not been compensated since. It may be negative,
// down to what the window has left over; what was left over before the window is lost. No clock rises while
// energy is owed, and every window above the budget costs a step, so the energy owed is bounded. Therefore
// the long-run mean is within the budget for any load that the lowest clocks keep within it. Bursts shorter
// than the window are allowed, as under Intel's RAPL.
#pragma once

#include <vector>

#include "models/power/controllers/spec.hpp"
#include "models/power/controllers/throttle.hpp"

namespace jostle::power {

class PowerCap {
 public:
  // `max_gpu_steps`, `max_cpu_steps`: number of steps below the limits. Nothing is allocated after
  // construction.
  PowerCap(const PowerCapSpec& spec, int max_gpu_steps, int max_cpu_steps);

  // Length of the sampling interval: a fiftieth of the window, within 10 to 50 ms (clocks take up to 8 ms to
  // follow).
  [[nodiscard]] static sim::Duration interval(sim::Duration window);
  [[nodiscard]] sim::Duration interval() const { return interval_; }

  // Reads the mean power of the interval that ends now. The result holds until the next reading.
  Throttle read(double watts);
  [[nodiscard]] Throttle throttle() const;
  [[nodiscard]] double window_mean_w() const { return mean_w_; }
  [[nodiscard]] bool over_budget() const { return mean_w_ > spec_.budget_w; }
  // True if at the last reading the power was over the budget, both in the window and in the interval, with
  // no clock left to lower.
  [[nodiscard]] bool unmet() const { return unmet_; }

 private:
  struct Reading {
    double watts = 0;
    int steps = 0;
  };
  // Mean of the readings in the window that were taken with the present steps.
  [[nodiscard]] double mean_at_steps() const;
  void store(double watts);
  void move_by(int steps);

  PowerCapSpec spec_;
  sim::Duration interval_;
  int max_gpu_steps_, max_steps_;
  int steps_ = 0;
  bool unmet_ = false;
  std::vector<Reading> readings_;  // in the window, as a ring buffer
  std::size_t next_ = 0, held_ = 0;
  std::size_t since_step_ = 0;  // readings since the last step
  double mean_w_ = 0;
  double owed_ = 0;  // energy owed, in W x intervals; negative: energy left over
};

}  // namespace jostle::power
