// The thermal path from the chip to the air: a Foster network of RC stages, advanced exactly at constant
// power.
//
// Across a stage of resistance R and capacity C the temperature difference d follows C d' = P - d / R, so
// after a time t it is P R + (d - P R) exp(-t / (R C)). The solution is exact for a step of any length, and
// two half steps give the same as one whole step.
#pragma once

#include <vector>

#include "models/power/controllers/spec.hpp"

namespace jostle::power {

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

}  // namespace jostle::power
