#include "models/power/controllers/power_limit.hpp"

#include <algorithm>
#include <numeric>

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
                       const VoltageCurve& voltage, double idle_w)
    : spec_(spec),
      voltage_(voltage),
      idle_w_(idle_w),
      readings_(readings_in(spec), idle_w),
      sum_w_(idle_w * static_cast<double>(readings_.size())) {
  for (const double hz : opps) dynamic_.push_back(dynamic(voltage, hz));
}

double PowerLimit::allowed_w() const {
  return std::min(spec_.budget_w + spec_.gain * (spec_.budget_w - mean_w()), spec_.burst * spec_.budget_w);
}

bool PowerLimit::unmet() const {
  return steps_ + 1 == static_cast<int>(dynamic_.size()) && mean_w() > spec_.budget_w;
}

Throttle PowerLimit::read(double watts, double hz) {
  readings_[next_] = watts;
  next_ = (next_ + 1) % readings_.size();
  sum_w_ = std::accumulate(readings_.begin(), readings_.end(), 0.0);

  const double above_idle = watts - idle_w_;
  if (above_idle <= 0) {
    steps_ = 0;
    return throttle();
  }
  const double most = dynamic(voltage_, hz) * (allowed_w() - idle_w_) / above_idle;
  const auto too_much = std::ranges::upper_bound(dynamic_, most);
  const auto allowed = std::max<std::ptrdiff_t>(too_much - dynamic_.begin(), 1);
  steps_ = static_cast<int>(dynamic_.size()) - static_cast<int>(allowed);
  return throttle();
}

}  // namespace jostle::power
