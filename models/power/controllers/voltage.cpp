#include "models/power/controllers/voltage.hpp"

#include <algorithm>

namespace jostle::power {

double voltage_at(const VoltageCurve& curve, double hz) {
  if (curve.empty()) return 1;
  const auto above = std::ranges::find_if(curve, [hz](const VoltagePoint& point) { return point.hz >= hz; });
  if (above == curve.end()) return curve.back().volts;
  if (above == curve.begin()) return above->volts;
  const VoltagePoint& low = *(above - 1);
  return low.volts + (above->volts - low.volts) * (hz - low.hz) / (above->hz - low.hz);
}

}  // namespace jostle::power
