#include "models/power/controllers/thermal.hpp"

#include <algorithm>
#include <cmath>

#include "sim/math.hpp"

namespace jostle::power {
namespace {

double share_at(const std::vector<FanPoint>& curve, double celsius) {
  if (curve.empty()) return 1;
  const auto above =
      std::ranges::find_if(curve, [celsius](const FanPoint& point) { return point.celsius >= celsius; });
  if (above == curve.end()) return curve.back().share;
  if (above == curve.begin()) return above->share;
  const FanPoint& low = *(above - 1);
  return low.share + (above->share - low.share) * (celsius - low.celsius) / (above->celsius - low.celsius);
}

}  // namespace

StepWise::StepWise(const ThermalSpec& spec, int max_gpu_steps, int max_cpu_steps)
    : passive_c_(spec.passive_c),
      hysteresis_k_(spec.hysteresis_k),
      critical_c_(spec.critical_c),
      max_gpu_steps_(max_gpu_steps),
      max_cpu_steps_(max_cpu_steps) {}

Throttle StepWise::poll(double celsius) {
  if (critical_c_ && celsius >= *critical_c_) down_ = true;
  // On the first poll the governor knows no trend and uses only the trip point. Sensors report whole
  // millidegrees.
  const std::int64_t reading = std::llround(celsius * 1e3);
  const bool rising = !polled_ || reading > last_mc_;
  const bool falling = polled_ && reading < last_mc_;
  polled_ = true;
  last_mc_ = reading;
  if (celsius >= passive_c_ && rising) {
    cpu_steps_ = std::min(cpu_steps_ + 1, max_cpu_steps_);
    gpu_steps_ = std::min(gpu_steps_ + 1, max_gpu_steps_);
  } else if (celsius < passive_c_ - hysteresis_k_ && falling) {
    cpu_steps_ = std::max(cpu_steps_ - 1, 0);
    gpu_steps_ = std::max(gpu_steps_ - 1, 0);
  }
  polls_at_lowest_ = cpu_steps_ == max_cpu_steps_ && gpu_steps_ == max_gpu_steps_ ? polls_at_lowest_ + 1 : 0;
  return throttle();
}

ThermalPath::ThermalPath(const ThermalSpec& spec, double ambient_c, bool fan)
    : stages_(spec.stages),
      fan_curve_(spec.fan_curve),
      ambient_c_(ambient_c),
      fan_(fan),
      rise_k_(spec.stages.size()) {
  set_fan();
}

double ThermalPath::resistance(const ThermalStage& stage, double fan_share) const {
  // Moving air adds conductance in proportion to its speed.
  const double still = stage.resistance_without_k_per_w, full = stage.resistance_k_per_w;
  if (full <= 0 || still <= full) return full;
  return 1 / ((1 - fan_share) / still + fan_share / full);
}

void ThermalPath::set_fan() {
  fan_share_ = fan_ ? share_at(fan_curve_, celsius()) : 0;
}

void ThermalPath::settle(double watts) {
  // The fan's speed depends on the temperature and the temperature on the speed. The temperature falls with
  // the speed, so the fixed point is unique if the curve does not fall: find it by bisection.
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    fan_share_ = fan_ ? (low + high) / 2 : 0;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage)
      rise_k_[stage] = watts * resistance(stages_[stage], fan_share_);
    if (!fan_) return;
    (share_at(fan_curve_, celsius()) > fan_share_ ? low : high) = fan_share_;
  }
}

void ThermalPath::advance(double watts, sim::Duration interval) {
  const double seconds = sim::to_seconds(interval);
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const double ohms = resistance(stages_[stage], fan_share_);
    const double steady = watts * ohms;
    rise_k_[stage] =
        steady + (rise_k_[stage] - steady) * sim::exp(-seconds / (ohms * stages_[stage].capacity_j_per_k));
  }
}

double ThermalPath::watts_at(double celsius) const {
  const double fan_share = fan_ ? share_at(fan_curve_, celsius) : 0;
  double resistance_k_per_w = 0;
  for (const ThermalStage& stage : stages_) resistance_k_per_w += resistance(stage, fan_share);
  return (celsius - ambient_c_) / resistance_k_per_w;
}

double ThermalPath::celsius() const {
  double sum = ambient_c_;
  for (const double rise : rise_k_) sum += rise;
  return sum;
}

}  // namespace jostle::power
