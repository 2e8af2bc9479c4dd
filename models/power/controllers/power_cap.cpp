#include "models/power/controllers/power_cap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jostle::power {

namespace {

// Means that differ by less than this share count as the same load.
constexpr double same_load = 0.05;

}  // namespace

sim::Duration PowerCap::interval(sim::Duration window) {
  return std::clamp(window / 50, sim::milliseconds(10), sim::milliseconds(50));
}

PowerCap::PowerCap(const PowerCapSpec& spec, int max_gpu_steps, int max_cpu_steps)
    : spec_(spec),
      interval_(interval(spec.window)),
      max_gpu_steps_(max_gpu_steps),
      max_steps_(max_gpu_steps + max_cpu_steps),
      readings_(static_cast<std::size_t>(std::max<std::int64_t>(1, spec.window / interval_))),
      too_much_w_(static_cast<std::size_t>(max_steps_) + 1) {}

Throttle PowerCap::throttle() const {
  const int gpu = std::min(steps_, max_gpu_steps_);
  return {.cpu_steps = steps_ - gpu, .gpu_steps = gpu, .ratio = 1};
}

bool PowerCap::known_as_too_much() const {
  const double then = too_much_w_[static_cast<std::size_t>(steps_)];
  return then > 0 && std::abs(mean_w_ - then) <= same_load * then;
}

void PowerCap::step_down() {
  ++steps_;
  if (before_rise_w_ > 0) too_much_w_[static_cast<std::size_t>(steps_)] = before_rise_w_;
  before_rise_w_ = 0;
  since_step_ = 0;
}

void PowerCap::step_up() {
  --steps_;
  before_rise_w_ = mean_w_;
  since_step_ = 0;
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
  } else if (steps_ > 0 && since_step_ >= readings_.size() && owed_ <= 0 &&
             mean_w_ < spec_.budget_w * (1 - spec_.hysteresis) && !known_as_too_much()) {
    step_up();
  }
  return throttle();
}

}  // namespace jostle::power
