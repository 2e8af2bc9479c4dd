#include "models/gpu/occupancy.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::gpu {
namespace {

constexpr int warp = 32;  // threads

int warps_of(const Kernel& kernel) {
  return (static_cast<int>(std::max(kernel.threads_per_block, 1U)) + warp - 1) / warp;
}

}  // namespace

int blocks_per_sm(const Spec& gpu, const Kernel& kernel) {
  const int warps = warps_of(kernel);
  const int registers = warps * warp * static_cast<int>(kernel.registers_per_thread);
  int blocks = gpu.max_blocks_per_sm;
  blocks = std::min(blocks, gpu.max_threads_per_sm / warp / warps);
  if (registers > 0) blocks = std::min(blocks, gpu.registers_per_sm / registers);
  if (kernel.shared_bytes > 0)
    blocks = std::min(blocks, gpu.shared_bytes_per_sm / static_cast<int>(kernel.shared_bytes));
  return std::max(blocks, 1);
}

std::uint32_t grid_on(const Spec& gpu, const Kernel& kernel, int sms) {
  const std::uint32_t blocks = std::max(kernel.blocks, 1U);
  if (!kernel.persistent) return blocks;
  return std::min(blocks, static_cast<std::uint32_t>(blocks_per_sm(gpu, kernel) * std::max(sms, 1)));
}

int waves(const Spec& gpu, const Kernel& kernel) {
  return waves(gpu, kernel, gpu.sm_count);
}

int waves(const Spec& gpu, const Kernel& kernel, int sms) {
  const auto at_once = static_cast<std::uint32_t>(blocks_per_sm(gpu, kernel) * std::max(sms, 1));
  return static_cast<int>((grid_on(gpu, kernel, sms) + at_once - 1) / at_once);
}

void fill_residency(const Spec& gpu, Kernel& kernel) {
  const double sms = std::max(gpu.sm_count, 1);
  const double at_once = blocks_per_sm(gpu, kernel) * sms;
  const std::uint32_t grid = grid_on(gpu, kernel, gpu.sm_count);
  const bool in_tiles = kernel.persistent && kernel.tiles > grid;
  const double blocks = in_tiles ? kernel.tiles : grid;
  const double count = in_tiles ? std::ceil(blocks / at_once) : waves(gpu, kernel);
  const double tail = blocks - (count - 1) * at_once;
  const double resident = 1 - static_cast<double>(kernel.fixed_share);
  const double active = resident * ((count - 1) * sms + std::min(tail, sms)) / (count * sms);
  const double started = std::max(resident - static_cast<double>(kernel.start_share), 0.0);
  const double most = count * sms * std::max(gpu.max_threads_per_sm / warp, 1);
  kernel.sm_active = static_cast<float>(active);
  kernel.working = static_cast<float>(active * started / std::max(resident, 1e-9));
  kernel.occupancy = static_cast<float>(resident * std::min(blocks * warps_of(kernel) / most, 1.0));
  set_waves(kernel, count, std::min(tail / sms, 1.0));
}

double resident_state_bytes(const Spec& gpu, const Kernel& kernel) {
  const auto at_once = static_cast<std::uint32_t>(blocks_per_sm(gpu, kernel) * std::max(gpu.sm_count, 1));
  const double blocks = std::min(kernel.blocks, at_once);
  const double per_block = 4.0 * kernel.threads_per_block * kernel.registers_per_thread + kernel.shared_bytes;
  return blocks * per_block;
}

sim::Duration expiry_cost(const Spec& gpu, const Kernel* kernel) {
  const TimeSlicing& slicing = gpu.time_slicing;
  if (kernel == nullptr || slicing.state_bandwidth_bytes_per_s <= 0) return slicing.switch_at_expiry;
  return slicing.switch_at_expiry +
         sim::seconds(2 * resident_state_bytes(gpu, *kernel) / slicing.state_bandwidth_bytes_per_s);
}

sim::Duration cache_refill_after_expiry(const Spec& gpu, const KernelSequence& kernels) {
  const TimeSlicing& slicing = gpu.time_slicing;
  const bool caches = kernels.used.back().memory > 0;
  return slicing.restart_after_expiry + (caches ? slicing.refill_after_expiry : sim::Duration::zero());
}

Usage usage_of_refill(const Kernel& kernel, sim::Duration cache_refill) {
  const double seconds = sim::to_seconds(cache_refill);
  Usage usage;
  usage.memory = seconds;
  usage.sm_active = seconds * static_cast<double>(kernel.sm_active);
  usage.occupancy = seconds * static_cast<double>(kernel.occupancy);
  return usage;
}

sim::Duration drain_after_expiry(const Spec& gpu, const Kernel& kernel, sim::Duration done) {
  switch (gpu.time_slicing.granularity) {
    case PreemptionGranularity::instruction:
      return sim::Duration::zero();
    case PreemptionGranularity::thread_block: {
      const sim::Duration wave = kernel.duration / waves(gpu, kernel);
      if (wave <= sim::Duration::zero() || done % wave == sim::Duration::zero()) return sim::Duration::zero();
      return std::min(wave - done % wave, kernel.duration - done);
    }
    case PreemptionGranularity::kernel:
      return kernel.duration - done;
  }
  return sim::Duration::zero();
}

}  // namespace jostle::gpu
