// How much kernels slow each other down that run at the same time.
//
// Two resources are shared: the pipes of an SM, where the blocks that are resident on it add up, and the
// memory behind the SMs, where all kernels add up.
//
// Pipes. A kernel that keeps them busy for a share u of its time alone, where all blocks of the SM keep them
// busy for a share U (each as if alone, so U may exceed 1), takes longer by s^p = (1 - u^p) + U^p.
//
// Memory. A warp has few requests on their way at a time, so it draws less as each takes longer. A kernel
// that draws a share u of the bandwidth alone keeps v requests on their way, v^p = u^p / (1 - u^p), in units
// of what would fill the memory if a request took no longer than in an idle one. With V on their way, a
// request takes (1 + V^p)^(1/p) times as long, so s^p = (1 + V^p) / (1 + v^p). For equal kernels that is the
// law of the pipes. Where they differ, the kernel with few requests loses most, as was measured: a small
// kernel of DRAM reads takes twice as long beside a large one, which loses 8 %. (Their rates are still
// missed, because blocks end together here: docs/validation.md.)
//
// p = 3 was chosen on equal fp32, tensor, L2 and DRAM kernels on an H200, which it fits within 2 to 6 %
// (calibration/evidence/h200-space). A kernel that does not use a resource is not slowed by it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

// What a kernel asks of the shared resources, in millionths.
struct Demand {
  std::int32_t pipes_of_block = 0;   // share of an SM's pipes that one block keeps busy
  std::int32_t pipes = 0;            // share of the pipes of an SM that holds the blocks that it holds alone
  std::int32_t memory_of_block = 0;  // v of one block
  std::int32_t memory = 0;           // v of the kernel alone
};

// The demand of `kernel` with `per_sm` of its blocks on an SM while it is alone.
[[nodiscard]] Demand demand_of(const Spec& gpu, const Kernel& kernel, double per_sm);

struct SlowdownOf {
  bool slowest = false;  // the kernel's end is that of its slowest block, so the fullest of its SMs counts;
                         // otherwise their mean
  bool limited = false;  // to some SMs: with fewer blocks than alone, each draws more from the memory
};

class Slowdown {
 public:
  explicit Slowdown(int sms) : pipes_(static_cast<std::size_t>(sms), 0) {}

  void add(const Demand& demand, std::span<const std::uint8_t> placed) { change(demand, placed, 1); }
  void remove(const Demand& demand, std::span<const std::uint8_t> placed) { change(demand, placed, -1); }

  // Factor on the time of a kernel with blocks on these SMs, at least 1 unless it is limited.
  [[nodiscard]] double of(const Demand& demand, std::span<const std::uint8_t> placed,
                          const SlowdownOf& of) const;

 private:
  void change(const Demand& demand, std::span<const std::uint8_t> placed, std::int32_t sign);
  [[nodiscard]] double pipes_of(std::span<const std::uint8_t> placed, bool slowest) const;

  std::vector<std::int32_t> pipes_;  // of each SM, in millionths
  std::int64_t memory_ = 0;          // V, in millionths
};

// The cube root of x > 0, the same on every machine (no library function).
[[nodiscard]] double cube_root(double x);

}  // namespace jostle::gpu::space
