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
#include <vector>

#include "models/power/controllers/spec.hpp"
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

// The thermal path from the chip to the air: a Foster network of RC stages, advanced exactly at constant
// power.
//
// Across a stage of resistance R and capacity C the temperature difference d follows C d' = P - d / R, so
// after a time t it is P R + (d - P R) exp(-t / (R C)). The solution is exact for a step of any length, and
// two half steps give the same as one whole step.
class ThermalPath {
 public:
  // Starts at the temperature of the air. The fan, if there is one, runs at the speed of its curve.
  ThermalPath(const ThermalSpec& spec, double ambient_c, bool fan);

  // Sets the steady state of `watts`.
  void settle(double watts);
  void advance(double watts, sim::Duration interval);
  // Updates the fan's speed to the current temperature.
  void set_fan();

  [[nodiscard]] double celsius() const;  // the chip's temperature
  [[nodiscard]] double fan_share() const { return fan_share_; }
  // The power that keeps the chip at a temperature.
  [[nodiscard]] double watts_at(double celsius) const;

 private:
  [[nodiscard]] double resistance(const ThermalStage& stage, double fan_share) const;

  std::vector<ThermalStage> stages_;
  std::vector<FanPoint> fan_curve_;
  double ambient_c_;
  bool fan_;
  double fan_share_ = 0;
  std::vector<double> rise_k_;  // temperature difference across each stage
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
