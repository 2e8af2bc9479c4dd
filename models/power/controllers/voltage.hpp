// The voltage of a clock domain as a function of its clock.
#pragma once

#include <vector>

namespace jostle::power {

struct VoltagePoint {
  double hz = 0, volts = 0;
};
// Ascending in both coordinates; interpolated linearly, constant outside.
using VoltageCurve = std::vector<VoltagePoint>;
// The voltage at `hz`; 1 if the curve is empty.
[[nodiscard]] double voltage_at(const VoltageCurve& curve, double hz);

}  // namespace jostle::power
