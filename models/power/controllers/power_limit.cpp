#include "models/power/controllers/power_limit.hpp"

#include <algorithm>
#include <iterator>

namespace jostle::power {
namespace {

std::size_t readings_in(const PowerLimitSpec& spec) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, spec.window / spec.period));
}

// Dynamic power at this clock, in units of its capacitance.
double dynamic(const VoltageCurve& voltage, double hz) {
  const double volts = voltage_at(voltage, hz);
  return volts * volts * hz;
}

}  // namespace

PowerLimit::PowerLimit(const PowerLimitSpec& spec, const std::vector<double>& opps,
                       const VoltageCurve& voltage, double idle_w, double fixed_w)
    : spec_(spec),
      voltage_(voltage),
      fixed_w_(fixed_w),
      mean_{.watts = idle_w, .farads = (idle_w - fixed_w) / dynamic(voltage, opps.back())},
      readings_(readings_in(spec), mean_) {
  for (const double hz : opps) dynamic_.push_back(dynamic(voltage, hz));
}

double PowerLimit::allowed_w() const {
  return std::min(spec_.budget_w + spec_.gain * (spec_.budget_w - mean_w()), spec_.burst * spec_.budget_w);
}

bool PowerLimit::unmet() const {
  return steps_ + 1 == static_cast<int>(dynamic_.size()) && mean_w() > spec_.budget_w;
}

Throttle PowerLimit::read(double watts, double hz) {
  const Reading last{.watts = watts, .farads = (watts - fixed_w_) / dynamic(voltage_, hz)};
  readings_[next_] = last;
  next_ = (next_ + 1) % readings_.size();
  Reading sum;
  for (const Reading& reading : readings_) {
    sum.watts += reading.watts;
    sum.farads += reading.farads;
  }
  const auto count = static_cast<double>(readings_.size());
  mean_ = {.watts = sum.watts / count, .farads = sum.farads / count};

  const double above_fixed = std::max(last.farads, mean_.farads);
  std::ptrdiff_t allowed = std::ssize(dynamic_);
  if (above_fixed > 0)
    allowed = std::ranges::upper_bound(dynamic_, (allowed_w() - fixed_w_) / above_fixed) - dynamic_.begin();
  steps_ = static_cast<int>(std::ssize(dynamic_) - std::max<std::ptrdiff_t>(allowed, 1));
  return throttle();
}

}  // namespace jostle::power
