// How much kernels slow each other down that run at the same time.
//
// A resource that a kernel keeps busy for a share u of its time alone, and all kernels together for a share U
// (each as if alone, so U may exceed 1), stretches the kernel's time by
//   s = ((1 - u^p) + U^p)^(1/p),  p = 3:
// nothing at low shares, and U where the resource is full. p was chosen on equal fp32, tensor, L2 and DRAM
// kernels on an H200, which it fits within 2 to 6 % (calibration/evidence/h200-space). There are two
// such resources: the pipes of an SM, where the blocks that are resident on it add up, and DRAM, where all
// kernels add up. A kernel that does not use a resource is not slowed by it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

// What a kernel asks of the shared resources, in millionths.
struct Demand {
  std::int32_t pipes_of_block = 0;  // share of an SM's pipes that one block keeps busy
  std::int32_t pipes = 0;           // share of the pipes of an SM that holds the blocks that it holds alone
  std::int32_t memory = 0;          // share of the DRAM bandwidth, of the whole kernel
};

// The demand of `kernel` with `per_sm` of its blocks on an SM while it is alone.
[[nodiscard]] Demand demand_of(const Spec& gpu, const Kernel& kernel, double per_sm);

class Slowdown {
 public:
  explicit Slowdown(int sms) : pipes_(static_cast<std::size_t>(sms), 0) {}

  void add(const Demand& demand, std::span<const std::uint8_t> placed) { change(demand, placed, 1); }
  void remove(const Demand& demand, std::span<const std::uint8_t> placed) { change(demand, placed, -1); }
  void add_memory(const Demand& demand) { memory_ += demand.memory; }
  void remove_memory(const Demand& demand) { memory_ -= demand.memory; }

  // Factor on the time of a kernel with blocks on these SMs, at least 1. `slowest`: its end is that of its
  // slowest block, so the fullest of its SMs counts; otherwise their mean.
  [[nodiscard]] double of(const Demand& demand, std::span<const std::uint8_t> placed, bool slowest) const;

 private:
  void change(const Demand& demand, std::span<const std::uint8_t> placed, std::int32_t sign);

  std::vector<std::int32_t> pipes_;  // of each SM, in millionths
  std::int64_t memory_ = 0;          // in millionths
};

// The cube root of x >= 1, the same on every machine (no library function).
[[nodiscard]] double cube_root(double x);

}  // namespace jostle::gpu::space
