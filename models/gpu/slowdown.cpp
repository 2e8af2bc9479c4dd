#include "models/gpu/slowdown.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace jostle::gpu::space {
namespace {

constexpr double unit = 1e6;

double cubed(double x) {
  return x * x * x;
}

std::int32_t millionths(double share) {
  return static_cast<std::int32_t>(std::lround(std::clamp(share, 0.0, 1.0) * unit));
}

// U^3 - u^3 of the law, where the kernel's own share is u and that of all is U.
double excess(double own, double total) {
  return own <= 0 || total <= own ? 0.0 : cubed(total) - cubed(own);
}

}  // namespace

double cube_root(double x) {
  // A third of the exponent is a start within 6 %; each step of Newton's method doubles the digits.
  constexpr std::uint64_t two_thirds_of_bias = 0x2A9F'7893'782D'A1CEULL;
  double root = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) / 3 + two_thirds_of_bias);
  for (int i = 0; i < 4; ++i) root = (2 * root + x / (root * root)) / 3;
  return root;
}

Demand demand_of(const Spec& gpu, const Kernel& kernel, double per_sm) {
  const SpaceSharing& law = gpu.space_sharing;
  const double active = kernel.sm_active > 0 ? static_cast<double>(kernel.sm_active) : 1.0;
  const double busiest = static_cast<double>(std::max(kernel.issue_slot, kernel.tensor_active)) / active;
  const double pipes = std::min(busiest * law.compute_load, 1.0);
  const double seconds = sim::to_seconds(kernel.duration);
  const double reached = gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency;
  double memory = 0;
  if (seconds > 0 && reached > 0) memory = static_cast<double>(kernel.dram_bytes) / seconds / reached;
  if (memory <= 0) memory = static_cast<double>(kernel.memory_share);
  return {.pipes_of_block = millionths(pipes / std::max(per_sm, 1.0)),
          .pipes = millionths(pipes),
          .memory = millionths(memory * law.memory_load)};
}

void Slowdown::change(const Demand& demand, std::span<const std::uint8_t> placed, std::int32_t sign) {
  const std::int32_t each = sign * demand.pipes_of_block;
  if (each == 0) return;
  for (std::size_t i = 0; i < placed.size(); ++i) pipes_[i] += each * placed[i];
}

double Slowdown::of(const Demand& demand, std::span<const std::uint8_t> placed, bool slowest) const {
  double power = 1 + excess(demand.memory / unit, static_cast<double>(memory_) / unit);
  if (demand.pipes > 0) {
    std::int32_t fullest = 0, blocks = 0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i] == 0) continue;
      fullest = std::max(fullest, pipes_[i]);
      sum += static_cast<std::int64_t>(placed[i]) * pipes_[i];
      blocks += placed[i];
    }
    const double mean = blocks > 0 ? static_cast<double>(sum) / blocks : 0;
    power += excess(demand.pipes / unit, (slowest ? fullest : mean) / unit);
  }
  return power == 1 ? 1.0 : cube_root(power);
}

}  // namespace jostle::gpu::space
