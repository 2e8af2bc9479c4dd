// The way of the heat from the chip to the air: a Foster network of RC stages, advanced exactly at constant
// power.
//
// Across a stage of resistance R and capacity C the temperature difference d follows C d' = P - d / R, so
// after a time t it is P R + (d - P R) exp(-t / (R C)). No step is too long, and two halves make a whole.
#pragma once

#include <vector>

#include "models/power/controllers/spec.hpp"

namespace jostle::power {

class ThermalPath {
 public:
  // Everything as warm as the air. A fan, if there is one, stands as its curve says.
  ThermalPath(const ThermalSpec& spec, double ambient_c, bool fan);

  // The steady state of `watts`: as after a long time.
  void settle(double watts);
  void advance(double watts, sim::Duration interval);
  // Lets the fan follow the temperature.
  void set_fan();

  [[nodiscard]] double celsius() const;  // of the chip
  [[nodiscard]] double fan_share() const { return fan_share_; }

 private:
  [[nodiscard]] double resistance(const ThermalStage& stage) const;

  std::vector<ThermalStage> stages_;
  std::vector<FanPoint> fan_curve_;
  double ambient_c_;
  bool fan_;
  double fan_share_ = 0;
  std::vector<double> rise_k_;  // across each stage
};

}  // namespace jostle::power
