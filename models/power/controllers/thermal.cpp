#include "models/power/controllers/thermal.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::power {

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

}  // namespace jostle::power
