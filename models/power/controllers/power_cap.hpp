// Keeps the mean power over a window within a budget by lowering clocks in steps: the GPU's first, then the
// CPU's.
//
// The controller gets the mean power of each sampling interval and decides once per interval, one step at a
// time:
//   down  if the mean over the window and the mean of the last interval are both above the budget;
//   up    if the mean over the window is below budget x (1 - hysteresis), no energy is owed, and clocks were
//         constant for a whole window; for a few readings only, if the last rise to this step was undone.
// So where the budget lies between two steps, clocks alternate between them.
// The energy owed is what was drawn above the budget and has not been compensated since. No clock rises while
// energy is owed, and every window above the budget costs a step, so the energy owed is bounded. Therefore
// the long-run mean is within the budget for any load that the lowest clocks keep within it. Bursts shorter
// than the window are allowed, as under Intel's RAPL.
#pragma once

#include <cstdint>
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
  void step_down();
  void step_up();
  [[nodiscard]] bool may_rise() const;

  PowerCapSpec spec_;
  sim::Duration interval_;
  int max_gpu_steps_, max_steps_;
  int steps_ = 0;
  bool unmet_ = false;
  std::vector<double> readings_;  // in the window, as a ring buffer
  std::size_t next_ = 0, held_ = 0;
  std::size_t since_step_ = 0;  // readings since the last step
  double mean_w_ = 0;
  double owed_ = 0;    // energy owed, in W x intervals
  bool rose_ = false;  // the last step was up
  int undone_at_ = 0;  // steps after the last rise that had to be undone; 0: none was
};

}  // namespace jostle::power
