// The limits that the protecting controllers set for clocks, and the limit that takes effect.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace jostle::power {

// The cause of a clock below the maximum of its domain.
enum class Cause : std::uint8_t { none, power_mode, power_cap, power_limit, over_current, thermal };
inline constexpr std::array<std::string_view, 6> cause_names{"none",        "power_mode",   "power_cap",
                                                             "power_limit", "over_current", "thermal"};

// The limits that one controller sets. Steps are operating points below the highest allowed one. The ratio is
// the share of pulses that pass: it slows the clock at an unchanged voltage.
struct Throttle {
  int cpu_steps = 0, gpu_steps = 0;
  double ratio = 1;
  bool operator==(const Throttle&) const = default;
};

// Number of steps by which the clock can be lowered: operating points below `limit_hz`. `opps` ascends and
// may be empty.
[[nodiscard]] int steps_below(std::span<const double> opps, double limit_hz);
// The operating point `steps` below the limit, at least the lowest one. The limit need not be an operating
// point.
[[nodiscard]] double stepped_down(std::span<const double> opps, double limit_hz, int steps);

// The limits of all controllers, by cause.
using Throttles = std::array<Throttle, cause_names.size()>;

// The clocks that a domain may have.
struct ClockRange {
  std::span<const double> opps;
  double highest_hz = 0;  // maximum of the hardware
  double limit_hz = 0;    // limit of the power mode; highest_hz if it sets none
  // The part of a Throttle that limits this domain; null: no controller does.
  int Throttle::*steps = nullptr;
};

// The upper limit for a governor or for jetson_clocks.
struct Ceiling {
  double hz = 0;
  double ratio =
      1;  // share of pulses that pass: a domain at clock f runs at f x ratio, with the voltage of f
  Cause by = Cause::none;  // cause of the lowest limit

  // The clock of a domain whose governor requests `wanted_hz`.
  [[nodiscard]] double given(double wanted_hz) const { return wanted_hz < hz ? wanted_hz : hz; }
  [[nodiscard]] Cause binds(double wanted_hz) const {
    if (ratio < 1) return Cause::over_current;
    return wanted_hz > hz ? by : Cause::none;
  }
};

// The lowest of the limits. Ties: the first in the order of Cause. Minimum clocks do not override it, as in
// the kernel, where the maximum wins. Steps count from the power mode's limit, but those of the kernel's
// cooling device (Cause::thermal) from the hardware's maximum.
[[nodiscard]] Ceiling combine(const ClockRange& range, const Throttles& throttles);

}  // namespace jostle::power
