#include "models/power/controllers/throttle.hpp"

#include <algorithm>

namespace jostle::power {

int steps_below(std::span<const double> opps, double limit_hz) {
  return static_cast<int>(std::ranges::lower_bound(opps, limit_hz) - opps.begin());
}

double stepped_down(std::span<const double> opps, double limit_hz, int steps) {
  const int below = steps_below(opps, limit_hz);
  if (steps <= 0 || below == 0) return limit_hz;
  return opps[static_cast<std::size_t>(std::max(below - steps, 0))];
}

Ceiling combine(std::span<const double> opps, const Demands& demands) {
  Ceiling ceiling{.hz = demands.highest_hz, .ratio = demands.over_current_ratio, .by = Cause::none};
  const auto lower = [&ceiling](double hz, Cause cause) {
    if (hz >= ceiling.hz) return;
    ceiling.hz = hz;
    ceiling.by = cause;
  };
  lower(demands.limit_hz, Cause::power_mode);
  lower(stepped_down(opps, demands.limit_hz, demands.cap_steps), Cause::power_cap);
  lower(stepped_down(opps, demands.limit_hz, demands.power_limit_steps), Cause::power_limit);
  lower(stepped_down(opps, demands.highest_hz, demands.thermal_steps), Cause::thermal);
  return ceiling;
}

}  // namespace jostle::power
