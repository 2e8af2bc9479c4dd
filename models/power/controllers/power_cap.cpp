#include "models/power/controllers/power_cap.hpp"

#include <algorithm>
#include <numeric>

namespace jostle::power {

namespace {

// Readings after a step before a rise that had to be undone is tried again: clocks have followed by then.
constexpr std::size_t followed = 3;

}  // namespace

sim::Duration PowerCap::interval(sim::Duration window) {
  return std::clamp(window / 50, sim::milliseconds(10), sim::milliseconds(50));
}

PowerCap::PowerCap(const PowerCapSpec& spec, int max_gpu_steps, int max_cpu_steps)
    : spec_(spec),
      interval_(interval(spec.window)),
      max_gpu_steps_(max_gpu_steps),
      max_steps_(max_gpu_steps + max_cpu_steps),
      readings_(static_cast<std::size_t>(std::max<std::int64_t>(1, spec.window / interval_))) {}

Throttle PowerCap::throttle() const {
  const int gpu = std::min(steps_, max_gpu_steps_);
  return {.cpu_steps = steps_ - gpu, .gpu_steps = gpu, .ratio = 1};
}

void PowerCap::step_down() {
  ++steps_;
  if (rose_) undone_at_ = steps_;
  rose_ = false;
  since_step_ = 0;
}

void PowerCap::step_up() {
  --steps_;
  rose_ = true;
  since_step_ = 0;
}

bool PowerCap::may_rise() const {
  const std::size_t constant = steps_ == undone_at_ ? followed : readings_.size();
  return steps_ > 0 && owed_ <= 0 && since_step_ >= std::min(constant, readings_.size()) &&
         mean_w_ < spec_.budget_w * (1 - spec_.hysteresis);
}

Throttle PowerCap::read(double watts) {
  readings_[next_] = watts;
  next_ = (next_ + 1) % readings_.size();
  held_ = std::min(held_ + 1, readings_.size());
  ++since_step_;
  mean_w_ = std::accumulate(readings_.begin(), readings_.begin() + static_cast<std::ptrdiff_t>(held_), 0.0) /
            static_cast<double>(held_);
  owed_ = std::max(owed_ + watts - spec_.budget_w, 0.0);

  const bool over = over_budget() && watts > spec_.budget_w;
  unmet_ = over && steps_ == max_steps_;
  if (over) {
    if (steps_ < max_steps_) step_down();
  } else if (may_rise()) {
    step_up();
  }
  return throttle();
}

}  // namespace jostle::power
