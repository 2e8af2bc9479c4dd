#include "models/gpu/slowdown.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace jostle::gpu::space {
namespace {

constexpr double unit = 1e6;
constexpr double fullest_memory = 0.97;  // share of the bandwidth; v is finite

double cubed(double x) {
  return x * x * x;
}

std::int32_t millionths(double x) {
  return static_cast<std::int32_t>(std::lround(x * unit));
}

// Share of the memory's bandwidth that the kernel draws alone.
double share_of_memory(const Spec& gpu, const Kernel& kernel, double bandwidth) {
  const double seconds = sim::to_seconds(kernel.duration);
  const double by_bytes =
      seconds > 0 && bandwidth > 0 ? static_cast<double>(kernel.dram_bytes) / seconds / bandwidth : 0.0;
  const double share = std::max(by_bytes, static_cast<double>(kernel.memory_share));
  return std::min(share * gpu.space_sharing.memory_load, fullest_memory);
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
  const double bandwidth = gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency;
  const double share = share_of_memory(gpu, kernel, bandwidth);
  const double blocks = std::max(std::min<double>(kernel.blocks, per_sm * gpu.sm_count), 1.0);
  double memory = share > 0 ? share / cube_root(1 - cubed(share)) : 0.0;
  if (law.warp_bytes_per_s > 0 && bandwidth > 0) {
    const std::uint32_t warps_of_block = (kernel.threads_per_block + 31) / 32;
    memory = std::min(memory, blocks * warps_of_block * law.warp_bytes_per_s / bandwidth);
  }
  const std::int32_t memory_of_block = millionths(memory / blocks);
  return {.pipes_of_block = millionths(pipes / std::max(per_sm, 1.0)),
          .pipes = millionths(pipes),
          .memory_of_block = memory_of_block,
          .memory = memory_of_block * static_cast<std::int32_t>(blocks)};
}

void Slowdown::change(const Demand& demand, std::span<const std::uint8_t> placed, std::int32_t sign) {
  const std::int32_t each = sign * demand.pipes_of_block;
  std::int64_t blocks = 0;
  std::int32_t* const pipes = pipes_.data();
  for (std::size_t i = 0; i < placed.size(); ++i) {
    pipes[i] += each * placed[i];
    blocks += placed[i];
  }
  memory_ += sign * blocks * demand.memory_of_block;
}

// What all blocks ask of the pipes where these are.
double Slowdown::pipes_of(std::span<const std::uint8_t> placed, bool slowest) const {
  // Without branches, so that the compiler makes vectors of the loops.
  const std::int32_t* const pipes = pipes_.data();
  const std::size_t sms = placed.size();
  if (slowest) {
    std::int32_t fullest = 0;
    for (std::size_t i = 0; i < sms; ++i) fullest = std::max(fullest, placed[i] != 0 ? pipes[i] : 0);
    return fullest / unit;
  }
  std::int32_t blocks = 0;
  for (std::size_t i = 0; i < sms; ++i) blocks += placed[i];
  // Sums of whole numbers below 2^53: exact in any order, here in four.
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= sms; i += 4)
    for (std::size_t j = 0; j < 4; ++j)
      sums[j] += static_cast<double>(placed[i + j]) * static_cast<double>(pipes[i + j]);
  for (; i < sms; ++i) sums[0] += static_cast<double>(placed[i]) * static_cast<double>(pipes[i]);
  return blocks > 0 ? (sums[0] + sums[1] + sums[2] + sums[3]) / blocks / unit : 0.0;
}

double Slowdown::of(const Demand& demand, std::span<const std::uint8_t> placed, const SlowdownOf& of) const {
  double power = 1;
  if (demand.memory > 0) {
    power = (1 + cubed(static_cast<double>(memory_) / unit)) / (1 + cubed(demand.memory / unit));
    if (!of.limited) power = std::max(power, 1.0);
  }
  if (demand.pipes > 0)
    power += std::max(cubed(pipes_of(placed, of.slowest)) - cubed(demand.pipes / unit), 0.0);
  return power == 1 ? 1.0 : cube_root(power);
}

}  // namespace jostle::gpu::space
