#include "models/power/controllers/throttle.hpp"

#include <algorithm>

namespace jostle::power {

int steps_below(std::span<const double> opps, double limit_hz) {
  return static_cast<int>(std::ranges::lower_bound(opps, limit_hz) - opps.begin());
}

double stepped_down(std::span<const double> opps, double limit_hz, int steps) {
  if (steps <= 0) return limit_hz;
  const int below = steps_below(opps, limit_hz);
  return below == 0 ? limit_hz : opps[static_cast<std::size_t>(std::max(below - steps, 0))];
}

Ceiling combine(const ClockRange& range, const Throttles& throttles) {
  Ceiling ceiling{.hz = range.highest_hz, .ratio = 1, .by = Cause::none};
  const auto lower = [&ceiling](double hz, Cause cause) {
    if (hz >= ceiling.hz) return;
    ceiling.hz = hz;
    ceiling.by = cause;
  };
  lower(range.limit_hz, Cause::power_mode);
  if (range.steps == nullptr) return ceiling;
  for (std::size_t i = 0; i < throttles.size(); ++i) {
    const auto cause = static_cast<Cause>(i);
    const double from_hz = cause == Cause::thermal ? range.highest_hz : range.limit_hz;
    lower(stepped_down(range.opps, from_hz, throttles[i].*range.steps), cause);
    ceiling.ratio = std::min(ceiling.ratio, throttles[i].ratio);
  }
  return ceiling;
}

}  // namespace jostle::power
