// What the controllers that protect a board do to its clocks, and which of them bound a clock in the end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace jostle::power {

// What holds a clock below the highest of its domain.
enum class Cause : std::uint8_t { none, power_mode, power_cap, over_current, thermal };
inline constexpr std::array<std::string_view, 5> cause_names{"none", "power_mode", "power_cap",
                                                             "over_current", "thermal"};

// What one controller asks of the clocks. Steps are operating points below the highest allowed; the ratio is
// that of pulses let through, so it slows a clock at the voltage it has.
struct Throttle {
  int cpu_steps = 0, gpu_steps = 0;
  double ratio = 1;
  bool operator==(const Throttle&) const = default;
};

// How many steps the clock can go down: operating points below `limit_hz`. `opps` ascends; it may be empty.
[[nodiscard]] int steps_below(std::span<const double> opps, double limit_hz);
// The operating point `steps` below the limit, which need not be one itself; at most down to the lowest.
[[nodiscard]] double stepped_down(std::span<const double> opps, double limit_hz, int steps);

// A clock domain, and what its controllers ask of it.
struct Demands {
  double highest_hz = 0;          // of the domain
  double limit_hz = 0;            // the power mode's; highest_hz if it sets none
  int cap_steps = 0;              // of the power cap: below limit_hz
  int thermal_steps = 0;          // of the kernel's cooling device: below highest_hz, whatever the mode
  double over_current_ratio = 1;  // in (0, 1]
};

// The upper limit that a governor, or jetson_clocks, works under.
struct Ceiling {
  double hz = 0;
  double ratio =
      1;  // of pulses let through: a domain that is given f runs at f x ratio, with the voltage of f
  Cause by = Cause::none;  // lowest of the limits

  // A domain that would run at `wanted_hz`: the clock it is given, and what holds it below.
  [[nodiscard]] double given(double wanted_hz) const { return wanted_hz < hz ? wanted_hz : hz; }
  [[nodiscard]] Cause binds(double wanted_hz) const {
    if (ratio < 1) return Cause::over_current;
    return wanted_hz > hz ? by : Cause::none;
  }
};

// The lowest of the limits; of equal ones the first as in Cause. Minimum clocks do not hold against it, as in
// the kernel, where the maximum wins.
[[nodiscard]] Ceiling combine(std::span<const double> opps, const Demands& demands);

}  // namespace jostle::power
