// Thermal management: temperature, fan, and the kernel's governor `step_wise` with its trip points.
//
// At each poll (1 s), as in Linux's drivers/thermal/gov_step_wise.c: while the temperature is at or above the
// passive trip point and rising, each cooling device (CPU and GPU) goes one state up, at most to its last;
// while it is below and falling, each goes one state down. One state is one operating point below the
// domain's highest. At the critical trip point the board shuts down. With a hysteresis, clocks rise again
// only when the temperature is that far below the trip point; Linux up to 6.x has none in this governor, so
// it is 0 there.
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
  // A poll was at or above the critical trip point: the board is shut down for the rest of the run.
  [[nodiscard]] bool down() const { return down_; }
  // Number of consecutive polls that found the clocks at their lowest.
  [[nodiscard]] std::int64_t polls_at_lowest() const { return polls_at_lowest_; }
  [[nodiscard]] double passive_c() const { return passive_c_; }
  [[nodiscard]] std::optional<double> critical_c() const { return critical_c_; }

 private:
  double passive_c_, hysteresis_k_;
  std::optional<double> critical_c_;
  int max_gpu_steps_, max_cpu_steps_;
  int cpu_steps_ = 0, gpu_steps_ = 0;
  bool polled_ = false, down_ = false;
  std::int64_t last_mc_ = 0, polls_at_lowest_ = 0;
};

// Thermal path and governor together, advanced with the mean power of each interval between polls.
class Thermal {
 public:
  // `max_gpu_steps`, `max_cpu_steps`: number of steps below the domains' highest clocks.
  Thermal(const ThermalSpec& spec, double ambient_c, bool fan, int max_gpu_steps, int max_cpu_steps)
      : polling_(spec.polling), path_(spec, ambient_c, fan), governor_(spec, max_gpu_steps, max_cpu_steps) {}

  [[nodiscard]] sim::Duration polling() const { return polling_; }
  // Starts at the steady-state temperature of `watts`.
  void settle(double watts) { path_.settle(watts); }
  // Advances by an interval of constant (or mean) power.
  void advance(double watts, sim::Duration interval) {
    path_.advance(watts, interval);
    path_.set_fan();
  }
  // The result holds until the next poll.
  Throttle poll() { return governor_.poll(path_.celsius()); }

  [[nodiscard]] double celsius() const { return path_.celsius(); }
  [[nodiscard]] double fan_share() const { return path_.fan_share(); }
  [[nodiscard]] Throttle throttle() const { return governor_.throttle(); }
  [[nodiscard]] bool down() const { return governor_.down(); }
  // The time for which the clocks have been at their lowest.
  [[nodiscard]] sim::Duration at_lowest_for() const { return polling_ * governor_.polls_at_lowest(); }
  [[nodiscard]] double passive_c() const { return governor_.passive_c(); }
  [[nodiscard]] std::optional<double> critical_c() const { return governor_.critical_c(); }
  // The power that keeps the chip at a temperature.
  [[nodiscard]] double watts_at(double celsius) const { return path_.watts_at(celsius); }

 private:
  sim::Duration polling_;
  ThermalPath path_;
  StepWise governor_;
};

}  // namespace jostle::power
