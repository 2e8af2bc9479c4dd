#include "models/power/roofline.hpp"

#include <algorithm>
#include <stdexcept>

namespace jostle::power {
namespace {

Roofline::Energy energy_at(const Spec& spec, const gpu::Spec& gpu, const dnn::ArithmeticPath& path,
                           const Activity& idle, const Roofline& roofs) {
  const auto watts = [&](const Activity& activity) {
    return sum_of(energy_of(spec, activity, spec.reference_c)) / activity.seconds;
  };
  const double seconds = idle.seconds, idle_w = watts(idle);
  Activity busy = idle, working = idle, multiplying = idle, moving = idle;
  busy.gpu_busy_s = seconds;
  working.working_s = seconds;
  constexpr double warps_of_products = 0.1875;  // 384 threads of 2048
  working.warps_s = seconds * warps_of_products;
  if (path.tensor_cores) multiplying.tensor_s = seconds;
  multiplying.issue_s = seconds * (path.tensor_cores ? gpu.kernels.instructions.per_tensor_clock : 1);
  moving.gpu_dram_bytes = moving.dram_bytes = roofs.bytes_per_s * seconds;
  const double working_w = watts(working) - idle_w;
  const double streaming = gpu::working_while_streaming(gpu, roofs.bytes_per_s, idle.gpu_hz);
  return {.operation_j = (watts(multiplying) - idle_w) / roofs.flop_per_s,
          .byte_j = (watts(moving) - idle_w) / roofs.bytes_per_s,
          .sm_operation_j = working_w / roofs.flop_per_s,
          .sm_byte_j = working_w * streaming / roofs.bytes_per_s,
          .idle_w = idle_w,
          .busy_w = watts(busy) - idle_w};
}

}  // namespace

Roofline roofline(const gpu::Spec& gpu, const dnn::ArithmeticPath& path, double dram_bytes_per_s,
                  const Activity& idle, const std::optional<Spec>& spec) {
  Roofline roofs{.flop_per_s = path.ops_per_clock * idle.sms * idle.gpu_hz,
                 .bytes_per_s = reachable_bandwidth(gpu, idle.gpu_hz, dram_bytes_per_s),
                 .energy = {}};
  if (!(roofs.flop_per_s > 0) || !(roofs.bytes_per_s > 0))
    throw std::invalid_argument("a roofline needs a positive peak and a positive bandwidth");
  if (spec) roofs.energy = energy_at(*spec, gpu, path, idle, roofs);
  return roofs;
}

double seconds_of(const Roofline& roofline, double flop, double bytes) {
  return std::max(flop / roofline.flop_per_s, bytes / roofline.bytes_per_s);
}

std::optional<double> joules_of(const Roofline& roofline, double flop, double bytes) {
  if (!roofline.energy) return std::nullopt;
  const Roofline::Energy& energy = *roofline.energy;
  return energy.operation_j * flop + energy.byte_j * bytes +
         std::max(energy.sm_operation_j * flop, energy.sm_byte_j * bytes) +
         energy.constant_w() * seconds_of(roofline, flop, bytes);
}

double attainable_flop_per_s(const Roofline& roofline, double intensity) {
  return std::min(roofline.flop_per_s, intensity * roofline.bytes_per_s);
}

std::optional<double> attainable_flop_per_j(const Roofline& roofline, double intensity) {
  const auto joules = joules_of(roofline, 1, 1 / intensity);
  return joules ? std::optional(1 / *joules) : std::nullopt;
}

double ridge(const Roofline& roofline) {
  return roofline.flop_per_s / roofline.bytes_per_s;
}

std::optional<double> best_flop_per_j(const Roofline& roofline) {
  const auto joules = joules_of(roofline, 1, 0);
  return joules ? std::optional(1 / *joules) : std::nullopt;
}

// The energy of an operation is the maximum of several terms a + b / intensity; each term applies for one
// limit of the time (arithmetic or memory) and one of the SMs.
std::optional<double> energy_balance(const Roofline& roofline) {
  if (!roofline.energy) return std::nullopt;
  const Roofline::Energy& energy = *roofline.energy;
  const double twice_the_least = 2 / *best_flop_per_j(roofline);
  double balance = 0;
  for (const bool arithmetic_binds : {true, false}) {
    for (const bool sms_multiply : {true, false}) {
      const double constant =
          energy.constant_w() / (arithmetic_binds ? roofline.flop_per_s : roofline.bytes_per_s);
      const double a =
          energy.operation_j + (sms_multiply ? energy.sm_operation_j : 0) + (arithmetic_binds ? constant : 0);
      const double b =
          energy.byte_j + (sms_multiply ? 0 : energy.sm_byte_j) + (arithmetic_binds ? 0 : constant);
      balance = std::max(balance, b / (twice_the_least - a));
    }
  }
  return balance;
}

}  // namespace jostle::power
