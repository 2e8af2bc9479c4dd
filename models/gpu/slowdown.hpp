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
// L2. Between a tensor's write and its read by the next kernel of its stream, other streams move theirs through
// L2: M bytes with its own, where the kernel moves b. So a kernel that alone sends a share m of what it moves on
// to DRAM sends m' = min(1, m · M / b) of it. Small batches do not meet in DRAM, large ones do; and a client of
// few SMs, whose kernels are long, finds less of its own in L2 than one of many. What is not there takes
// `miss_latency` times as long, so while it waits for memory a kernel takes longer by
// (1 + (l - 1) m') / (1 + (l - 1) m), even if the bandwidth is far from used up.
//
// p = 3 was chosen on equal fp32, tensor, L2 and DRAM kernels on an H200, which it fits within 2 to 6 %
// (calibration/evidence/h200-space). A kernel that does not use a resource is not slowed by it.
#pragma once

#include <cstdint>
#include <utility>

#include "models/gpu/kernel.hpp"
#include "models/gpu/residency.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

// How a kernel uses the memory.
struct MemoryUse {
  double moved_bytes = 0;   // to and from L2, of which a part goes on to DRAM
  double missed = 1;        // m: that part, alone
  double dram_share = 0;    // of DRAM's bandwidth, alone
  double l2_share = 0;      // the same of what it moves to and from L2, with its weight
  double most = 0;          // v that its warps can reach
  double blocks = 1;        // that run at once alone
  double waiting = 0;       // share of its time in which it waits for memory, alone
  double miss_latency = 1;  // l
};

// What a kernel asks of the shared resources. Of the pipes in 1/1000 of an SM's, of the memory in millionths:
// whole numbers, so that what is removed is what was added.
struct Demand {
  Count pipes_of_block = 0;          // share of an SM's pipes that one block keeps busy
  Count pipes = 0;                   // share of the pipes of an SM that holds the blocks that it holds alone
  std::int32_t memory_of_block = 0;  // v of one block
  std::int32_t memory = 0;           // v of the kernel alone
  double dram_bytes = 0;             // that it sends on
  double longer = 1;                 // that its blocks take, for want of what L2 no longer holds
  MemoryUse use;
};

// The demand of `kernel` with `per_sm` of its blocks on each of `sms` SMs while it is alone.
[[nodiscard]] Demand demand_of(const Spec& gpu, const Kernel& kernel, double per_sm, int sms);

// The demand of a kernel before which `moved_bytes` were moved since the kernel before it, with its own: M.
[[nodiscard]] Demand beside(const Demand& alone, double moved_bytes);

class Slowdown {
 public:
  // `pipes`: nothing placed (Residency::nothing_placed).
  explicit Slowdown(Placement pipes) : pipes_(std::move(pipes)) {}

  // `count` blocks, placed so.
  void add(const Demand& demand, const Placement& placed, int count) { change(demand, placed, count); }
  void remove(const Demand& demand, const Placement& placed, int count) { change(demand, placed, -count); }

  // What all blocks ask of the pipes where these are, as a share of an SM's: of the fullest of the SMs, where
  // the kernel's end is that of its slowest block, otherwise their mean.
  [[nodiscard]] double pipes_where(const Placement& placed, bool slowest) const;
  // s^3, at least 1, of a kernel beside blocks that ask so much of the pipes that it uses.
  [[nodiscard]] double cubed_for(const Demand& demand, double pipes) const;

 private:
  void change(const Demand& demand, const Placement& placed, int count);

  Placement pipes_;          // of each SM, in 1/1000
  std::int64_t memory_ = 0;  // V, in millionths
};

// The cube root of x > 0, the same on every machine (no library function).
[[nodiscard]] double cube_root(double x);

}  // namespace jostle::gpu::space
