// The clocks of a domain that a governor may request: a table of operating performance points (OPP) within
// limits, for example those of a power mode.
#pragma once

#include <algorithm>
#include <vector>

namespace jostle::power {

// A limit that is not an entry of the table (624.75 MHz over 306 ... 612 MHz) can still be reached: firmware
// clips to it. Without a table the clock is always at the upper limit. If the limits cross, the upper one
// wins.
struct OppTable {
  std::vector<double> hz;  // ascending
  double min_hz = 0, max_hz = 0;

  [[nodiscard]] double highest() const { return max_hz; }
  [[nodiscard]] double lowest() const { return at_least(min_hz); }

  // The lowest clock that is at least `target`.
  [[nodiscard]] double at_least(double target) const {
    if (hz.empty() || target >= max_hz) return max_hz;
    const auto it = std::lower_bound(hz.begin(), hz.end(), std::max(target, min_hz) - same);
    return it == hz.end() ? max_hz : std::min(*it, max_hz);
  }

  // The highest clock that is at most `target`; the lowest clock if there is none.
  [[nodiscard]] double at_most(double target) const {
    if (hz.empty() || target >= max_hz - same) return max_hz;
    const auto it = std::upper_bound(hz.begin(), hz.end(), target + same);
    return it == hz.begin() || *(it - 1) < min_hz - same ? lowest() : *(it - 1);
  }

  // The clock nearest to `target`. Ties: the lower.
  [[nodiscard]] double nearest(double target) const {
    const double below = at_most(target), above = at_least(target);
    return target - below > above - target ? above : below;
  }

  // `n` entries up or down from `from`, but not beyond the limits.
  [[nodiscard]] double step_up(double from, int n = 1) const {
    for (; n > 0 && from < max_hz; --n) from = at_least(from + 2 * same);
    return from;
  }
  [[nodiscard]] double step_down(double from, int n = 1) const {
    for (const double end = lowest(); n > 0 && from > end; --n) from = at_most(from - 2 * same);
    return from;
  }

 private:
  static constexpr double same = 0.5;  // Hz: clocks that differ by less count as equal (rounding)
};

}  // namespace jostle::power
