#include "models/gpu/slowdown.hpp"

namespace jostle::gpu::space {
namespace {

constexpr double fullest_memory = 0.97;  // share of the bandwidth; v is finite
constexpr double unlimited = 1e3;        // v

std::int32_t millionths(double x) {
  return static_cast<std::int32_t>(sim::rounded(x * whole_v));
}

// Share of the bandwidth of DRAM that the kernel draws alone.
double share_of_memory(const Spec& gpu, const Kernel& kernel, double bandwidth) {
  const double bound = static_cast<double>(kernel.memory_share);
  const double seconds = sim::to_seconds(kernel.duration);
  // A computed kernel says how much of its time memory takes at its clocks, even if arithmetic hides it. For
  // a measured kernel the bytes are known if they follow from the layers of its network.
  const bool computed = kernel.start_share > 0;
  double share = bound;
  if (computed)
    share = bound > 0 ? bound : static_cast<double>(kernel.hidden_share);
  else if (kernel.moved_bytes > 0 && seconds > 0 && bandwidth > 0)
    share = static_cast<double>(kernel.dram_bytes) / seconds / bandwidth;
  return gpu.space_sharing.memory_load * share;
}

// The share of the kernel's L2 traffic that goes on to DRAM.
double missed_by(const Kernel& kernel) {
  if (kernel.dram_bytes <= 0 || kernel.moved_bytes <= kernel.dram_bytes) return 1;
  return static_cast<double>(kernel.dram_bytes) / static_cast<double>(kernel.moved_bytes);
}

// k of a kernel that DRAM bounds for this share of its time.
double knee_of(double bound) {
  constexpr double largest = 5.7;  // 3.2^1.5, fitted (see the header)
  const double u = bound * std::sqrt(bound) * largest / (1 + largest);
  return u / (1 - u);
}

// v of a kernel that draws this share, at most `most`.
double requests_for(double share, double most) {
  const double u = std::min(share, fullest_memory);
  return u > 0 ? std::min(u / cube_root(1 - cubed(u)), most) : 0.0;
}

// compute_load was fitted to networks whose arithmetic is the tensor cores'. An SM cannot issue more than it
// has slots.
bool bound_by_cuda_cores(const Kernel& kernel) {
  return kernel.issue_slot > kernel.tensor_active && kernel.compute_share > kernel.memory_share;
}

}  // namespace

double pipes_used(const Kernel& kernel) {
  const auto pipes = static_cast<double>(std::max(kernel.issue_slot, kernel.tensor_active));
  const double resident = 1 - static_cast<double>(kernel.fixed_share);
  return kernel.sm_active > 0 ? pipes * resident / static_cast<double>(kernel.sm_active) : pipes;
}

Demand demand_of(const Spec& gpu, const Kernel& kernel, double per_sm) {
  const SpaceSharing& law = gpu.space_sharing;
  const std::uint32_t warps_of_block = (kernel.threads_per_block + 31) / 32;
  const double held = std::max(per_sm, 1.0), warps = held * warps_of_block;
  const double loaded = pipes_used(kernel) * (bound_by_cuda_cores(kernel) ? 1 : law.compute_load);
  const double pipes = std::min(std::max(loaded, static_cast<double>(kernel.warp_pipes) * warps), 1.0);
  const double bandwidth = gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency;
  const double blocks = std::max(std::min<double>(kernel.blocks, per_sm * gpu.sm_count), 1.0);
  const double share = share_of_memory(gpu, kernel, bandwidth);
  MemoryUse use{.moved_bytes = static_cast<double>(kernel.moved_bytes),
                .missed = missed_by(kernel),
                .dram_share = share,
                .most = requests_for(1, unlimited),
                .blocks = blocks,
                .waiting = static_cast<double>(kernel.memory_share),
                .miss_latency = law.miss_latency};
  if (law.warp_bytes_per_s > 0 && bandwidth > 0)
    use.most = blocks * warps_of_block * law.warp_bytes_per_s / bandwidth;
  const double bound = requests_for(static_cast<double>(kernel.memory_share), use.most);
  const std::int32_t bound_of_block = millionths(bound / blocks);
  const double memory = requests_for(use.dram_share, use.most);
  const std::int32_t memory_of_block = millionths(memory / blocks);
  const auto pipes_of_block = static_cast<Count>(sim::rounded(pipes / held * whole_pipes));
  Demand demand{.pipes_of_block = pipes_of_block,
                .pipes = static_cast<Count>(pipes_of_block * sim::rounded(held)),
                .memory_of_block = memory_of_block,
                .memory = memory_of_block * static_cast<std::int32_t>(blocks),
                .bound_of_block = bound_of_block,
                .bound = bound_of_block * static_cast<std::int32_t>(blocks),
                .use = use};
  demand.requests = requests_of(demand.memory);
  demand.knee = knee_of(std::min(static_cast<double>(kernel.memory_share), use.dram_share));
  return demand;
}

void hold(Demand& demand, std::uint32_t blocks) {
  demand.pipes = static_cast<Count>(demand.pipes_of_block * static_cast<int>(blocks));
}

Demand beside(const Demand& alone, double moved_bytes) {
  Demand demand = alone;
  const MemoryUse& use = alone.use;
  if (use.moved_bytes <= 0 || moved_bytes <= use.moved_bytes) return demand;
  const double missed = std::min(use.missed * moved_bytes / use.moved_bytes, 1.0);
  const double more = use.miss_latency - 1;
  demand.longer = 1 + use.waiting * ((1 + more * missed) / (1 + more * use.missed) - 1);
  const double share = use.dram_share * missed / use.missed / demand.longer;
  demand.memory_of_block = millionths(requests_for(share, use.most) / use.blocks);
  return demand;
}

void Slowdown::add(const Demand& demand, int count) {
  memory_ += static_cast<std::int64_t>(count) * demand.memory_of_block;
  bound_ += static_cast<std::int64_t>(count) * demand.bound_of_block;
  requests_ = requests_of(memory_);
  const std::int64_t pipes = static_cast<std::int64_t>(count) * demand.pipes_of_block;
  pipes_ += pipes;
  squared_ += pipes * demand.pipes;
}

}  // namespace jostle::gpu::space
