#include "models/gpu/slowdown.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace jostle::gpu::space {
namespace {

constexpr double unit = 1e6;             // of the memory
constexpr double whole_pipes = 1024;     // of an SM; with its 32 blocks at most, sums are below 2^15
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
  // A third of the exponent is a start within 6 %; each step of Halley's method trebles the digits.
  constexpr std::uint64_t two_thirds_of_bias = 0x2A9F'7893'782D'A1CEULL;
  double root = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) / 3 + two_thirds_of_bias);
  for (int i = 0; i < 2; ++i) {
    const double cube = root * root * root;
    root *= (cube + 2 * x) / (2 * cube + x);
  }
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
  const double held = std::max(per_sm, 1.0);
  const auto pipes_of_block = static_cast<Count>(std::lround(pipes / held * whole_pipes));
  return {.pipes_of_block = pipes_of_block,
          .pipes = static_cast<Count>(pipes_of_block * std::lround(held)),
          .memory_of_block = memory_of_block,
          .memory = memory_of_block * static_cast<std::int32_t>(blocks)};
}

void Slowdown::change(const Demand& demand, const Placement& placed, int count) {
  memory_ += static_cast<std::int64_t>(count) * demand.memory_of_block;
  const int each = count < 0 ? -demand.pipes_of_block : demand.pipes_of_block;
  if (each == 0) return;
  Count* const pipes = pipes_.data();
  const Count* const blocks = placed.data();
  for (std::size_t i = 0; i < placed.size(); ++i)
    pipes[i] = static_cast<Count>(pipes[i] + static_cast<Count>(each * blocks[i]));
}

double Slowdown::pipes_where(const Placement& placed, bool slowest) const {
  // Without branches, so that the compiler makes vectors of the loops.
  const Count* const pipes = pipes_.data();
  const Count* const of = placed.data();
  if (slowest) {
    Count fullest = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const auto mask = static_cast<Count>(of[i] != 0 ? -1 : 0);
      fullest = std::max(fullest, static_cast<Count>(pipes[i] & mask));
    }
    return fullest / whole_pipes;
  }
  std::int32_t blocks = 0, sum = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    blocks += of[i];
    sum += of[i] * pipes[i];
  }
  return blocks > 0 ? sum / whole_pipes / blocks : 0.0;
}

double Slowdown::cubed_for(const Demand& demand, double pipes, bool limited) const {
  double power = 1;
  if (demand.memory > 0) {
    power = (1 + cubed(static_cast<double>(memory_) / unit)) / (1 + cubed(demand.memory / unit));
    if (!limited) power = std::max(power, 1.0);
  }
  if (demand.pipes > 0) power += std::max(cubed(pipes) - cubed(demand.pipes / whole_pipes), 0.0);
  return power;
}

}  // namespace jostle::gpu::space
