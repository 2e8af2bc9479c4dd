// Keeps the mean power over a window within a budget by stepping clocks down: the GPU's first, then the
// CPU's.
//
// Fed with the mean of each sampling interval, it decides once an interval, one step at a time:
//   down  if the mean over the window and that of the last interval are above the budget;
//   up    if the clocks have stood for a window whose mean is below budget x (1 - hysteresis), nothing is
//   owed,
//         and this very step was not found too much under the same load.
// Owed is the energy drawn above the budget and not yet made up for. As no clock rises while any is, and
// every window above the budget costs a step, what is owed is bounded, so the long-run mean is within the
// budget for any load that the lowest clocks keep there. Bursts within the window are free, as under Intel's
// RAPL.
#pragma once

#include <cstdint>
#include <vector>

#include "models/power/controllers/spec.hpp"
#include "models/power/controllers/throttle.hpp"

namespace jostle::power {

class PowerCap {
 public:
  // How many steps there are below the limits. No allocation after this.
  PowerCap(const PowerCapSpec& spec, int max_gpu_steps, int max_cpu_steps);

  // Of the readings it is to be fed with: a fiftieth of the window, but 10 to 50 ms (clocks take up to 8 ms
  // to follow).
  [[nodiscard]] static sim::Duration interval(sim::Duration window);
  [[nodiscard]] sim::Duration interval() const { return interval_; }

  // The mean of the interval that ends now. What follows holds until the next reading.
  Throttle read(double watts);
  [[nodiscard]] Throttle throttle() const;
  [[nodiscard]] double window_mean_w() const { return mean_w_; }
  [[nodiscard]] bool over_budget() const { return mean_w_ > spec_.budget_w; }

 private:
  void step_down();
  void step_up();
  [[nodiscard]] bool known_as_too_much() const;

  PowerCapSpec spec_;
  sim::Duration interval_;
  int max_gpu_steps_, max_steps_;
  int steps_ = 0;
  std::vector<double> readings_;  // of the window, as a ring
  std::size_t next_ = 0, held_ = 0;
  std::size_t since_step_ = 0;  // readings since the last step
  double mean_w_ = 0;
  double owed_ = 0;                 // W x intervals
  double before_rise_w_ = 0;        // mean over the window before the last step up; 0: the last step was down
  std::vector<double> too_much_w_;  // by steps: mean over the window before a step up that had to be undone
};

}  // namespace jostle::power
