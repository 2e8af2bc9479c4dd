// Thermal management: temperature, fan, and the kernel's governor `step_wise` with its trips.
//
// At each poll (1 s), in Linux's drivers/thermal/gov_step_wise.c: while the temperature is at the passive
// trip or above and rising, each cooling device, CPU and GPU, goes one state up, to its last at most; while
// below and falling, each goes one down. One state is one operating point below the domain's highest. At the
// critical trip the board shuts down. The hysteresis keeps clocks from rising again before it is so far below
// the trip; Linux up to 6.x has none in this governor, so it is 0 there.
#pragma once

#include <cstdint>
#include <optional>

#include "models/power/controllers/thermal_path.hpp"
#include "models/power/controllers/throttle.hpp"

namespace jostle::power {

class StepWise {
 public:
  StepWise(const ThermalSpec& spec, int max_gpu_steps, int max_cpu_steps);

  Throttle poll(double celsius);
  [[nodiscard]] Throttle throttle() const { return {.cpu_steps = cpu_steps_, .gpu_steps = gpu_steps_}; }
  // A poll was at or above the critical trip: the board is down, for good.
  [[nodiscard]] bool down() const { return down_; }

 private:
  double passive_c_, hysteresis_k_;
  std::optional<double> critical_c_;
  int max_gpu_steps_, max_cpu_steps_;
  int cpu_steps_ = 0, gpu_steps_ = 0;
  bool polled_ = false, down_ = false;
  std::int64_t last_mc_ = 0;
};

// The two together: advanced with the power of each interval between polls.
class Thermal {
 public:
  // How many steps there are below the domains' highest clocks.
  Thermal(const ThermalSpec& spec, double ambient_c, bool fan, int max_gpu_steps, int max_cpu_steps)
      : polling_(spec.polling), path_(spec, ambient_c, fan), governor_(spec, max_gpu_steps, max_cpu_steps) {}

  [[nodiscard]] sim::Duration polling() const { return polling_; }
  // Begin as warm as after a long time at `watts`.
  void settle(double watts) { path_.settle(watts); }
  // Any interval of constant, or mean, power.
  void advance(double watts, sim::Duration interval) { path_.advance(watts, interval); }
  // What follows holds until the next poll.
  Throttle poll() {
    path_.set_fan();
    return governor_.poll(path_.celsius());
  }

  [[nodiscard]] double celsius() const { return path_.celsius(); }
  [[nodiscard]] double fan_share() const { return path_.fan_share(); }
  [[nodiscard]] Throttle throttle() const { return governor_.throttle(); }
  [[nodiscard]] bool down() const { return governor_.down(); }

 private:
  sim::Duration polling_;
  ThermalPath path_;
  StepWise governor_;
};

}  // namespace jostle::power
