#include "models/power/controllers/power_cap.hpp"

#include <algorithm>

namespace jostle::power {
namespace {

// Readings after a step until clocks have followed it for most of the time.
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

double PowerCap::mean_at_steps() const {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < held_; ++i) {
    if (readings_[i].steps != steps_) continue;
    sum += readings_[i].watts;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

void PowerCap::store(double watts) {
  readings_[next_] = {.watts = watts, .steps = steps_};
  next_ = (next_ + 1) % readings_.size();
  held_ = std::min(held_ + 1, readings_.size());
  ++since_step_;
  double sum = 0;
  for (std::size_t i = 0; i < held_; ++i) sum += readings_[i].watts;
  mean_w_ = sum / static_cast<double>(held_);
  const double of_window = sum - spec_.budget_w * static_cast<double>(held_);
  owed_ = std::max(owed_ + watts - spec_.budget_w, std::min(of_window, 0.0));
}

void PowerCap::move_by(int steps) {
  const int moved = std::clamp(steps_ + steps, 0, max_steps_);
  if (moved != steps_) since_step_ = 0;
  steps_ = moved;
}

Throttle PowerCap::read(double watts) {
  store(watts);
  const bool clocks_followed = since_step_ >= followed;
  const bool too_much = mean_at_steps() > spec_.budget_w;
  unmet_ = too_much && over_budget() && steps_ == max_steps_;
  if (too_much && (over_budget() || (owed_ > 0 && clocks_followed))) {
    move_by(1);
  } else if (owed_ <= 0 && !over_budget() && clocks_followed) {
    move_by(-1);
  }
  return throttle();
}

}  // namespace jostle::power
