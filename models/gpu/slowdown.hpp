// How much kernels slow each other down that run at the same time.
//
// Two resources are shared: the pipes of an SM, where the blocks that are resident on it add up, and the
// memory behind the SMs, where all kernels add up.
//
// Pipes. Equal kernels that keep them busy for a share u of their time alone, where all blocks of the SM keep
// them busy for a share U (each as if alone, so U may exceed 1), take longer by s^p = (1 - u^p) + U^p. u is
// at least that of a kernel's warps, where these are known (Kernel::warp_pipes). Where kernels differ, each
// loses in the time alone in which it uses the pipes: with m, the mean of their u weighted by u, and t^p = (1
// - m^p) + U^p, it takes longer by s = 1 + u/m · (t - 1). A kernel of few instructions finds a slot beside
// one that fills them, and that one gives it. The form was chosen with nine mixes of MPS clients in view
// (calibration/evidence/h200-five: 9.9 % with one t for all, 8.0 % so) and judged on others:
// random streams 9.9 and 8.5 %, MPS clients 5.3 and 5.9 %, long kernels beside short ones 11.3 and 11.8 %.
//
// Memory. A warp has few requests on their way at a time, so it draws less as each takes longer. A kernel
// that draws a share u of the bandwidth alone keeps v requests on their way, v^p = u^p / (1 - u^p), in units
// of what would fill the memory if a request took no longer than in an idle one. With V on their way, a
// request takes (1 + V^p)^(1/p) times as long, so s^p = (1 + V^p) / (1 + v^p). For equal kernels that is the
// law of the pipes. Where they differ, the kernel with few requests loses most, as was measured: a small
// kernel of DRAM reads takes twice as long beside a large one, which loses 8 %. (Their rates are still
// missed, because blocks end together here: docs/validation.md.)
//
// L2. Between a tensor's write and its read by the next kernel of its stream, other streams move theirs
// through L2: M bytes with its own, where the kernel moves b. A kernel that alone sends a share m of what it
// moves on to DRAM then sends m' = min(1, m · M / b) of it. Small batches do not meet in DRAM and large ones
// do. An MPS client of few SMs, whose kernels are long, finds less of its own in L2 than one of many. A byte
// from DRAM takes l times as long as one from L2 (`miss_latency`), so a kernel that waits for memory for a
// share w of its time takes longer by 1 + w · ((1 + (l - 1) m') / (1 + (l - 1) m) - 1), even if the bandwidth
// is far from used up.
//
// SMs. A kernel that has some SMs only draws more for each block than with all of them. With the part x of
// its blocks resident, s^1.5 = (1 + k x^1.5) / (1 + k). For a kernel that only reads DRAM, k = 3.2^1.5: its
// warps ask for 3.2 times what DRAM gives. Both exponent and factor are fitted to a reader on 8 to 132 SMs of
// an H100 (calibration/evidence/h100-green). The law of the memory, with the requests of its own blocks,
// holds as well: the smaller s is taken.
//
// p = 3 was chosen on equal fp32, tensor, L2 and DRAM kernels on an H200, which it fits within 2 to 6 %
// (calibration/evidence/h200-space). A kernel that does not use a resource is not slowed by it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "models/gpu/kernel.hpp"
#include "models/gpu/residency.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

[[nodiscard]] constexpr double cubed(double x) {
  return x * x * x;
}

inline constexpr double whole_v = 1e6;  // whole numbers of v are millionths

// 1 + v^3, from v in millionths.
[[nodiscard]] constexpr double requests_of(std::int64_t v) {
  return 1 + cubed(static_cast<double>(v) / whole_v);
}

// How a kernel uses the memory while it is alone.
struct MemoryUse {
  double moved_bytes = 0;   // b, to and from L2
  double missed = 1;        // m, the share of these bytes that goes on to DRAM
  double dram_share = 0;    // share of the bandwidth of DRAM
  double most = 0;          // v that its warps can reach
  double blocks = 1;        // blocks that run at once
  double waiting = 0;       // w, the share of its time in which it waits for memory
  double miss_latency = 1;  // l
};

// The demand of a kernel for the shared resources: pipes in 1/1000 of an SM's, memory in millionths of v, in
// whole numbers, so that what is removed is what was added.
struct Demand {
  Count pipes_of_block = 0;          // share of an SM's pipes that one block keeps busy
  Count pipes = 0;                   // share of the pipes of an SM that holds the blocks that it holds alone
  std::int32_t memory_of_block = 0;  // v of one block
  std::int32_t memory = 0;           // v of the kernel alone
  // v that would bind the kernel for the share of its time in which memory does; of one block, and of all
  // that it has alone.
  std::int32_t bound_of_block = 0, bound = 0;
  double requests = 1;  // 1 + v^3 of the kernel alone
  double knee = 0;      // k of the law of the SMs
  double longer = 1;    // its time over that alone, because L2 no longer holds what it reads
  MemoryUse use;
};

// The share of the pipes of an SM with blocks of `kernel` that they keep busy, over all of its duration.
[[nodiscard]] double pipes_used(const Kernel& kernel);

// The demand of `kernel` with `per_sm` of its blocks on an SM while it is alone.
[[nodiscard]] Demand demand_of(const Spec& gpu, const Kernel& kernel, double per_sm);

// An SM holds so many blocks of the kernel while it is alone: it may use some SMs only.
void hold(Demand& demand, std::uint32_t blocks);

// The demand of a kernel among kernels that move `moved_bytes`, with its own: they share L2 (see above).
[[nodiscard]] Demand beside(const Demand& alone, double moved_bytes);

// s^3 of a kernel that draws from DRAM and has `part` of its blocks on the GPU: the law of its SMs (see
// above).
[[nodiscard]] inline double cubed_of_part(const Demand& demand, double part) {
  const double root = (1 + demand.knee * part * std::sqrt(part)) / (1 + demand.knee);
  return root * root;
}

// The cube root of x > 0, the same on every machine (no library function).
[[nodiscard]] inline double cube_root(double x) {
  // A third of the exponent is a start within 6 %; each step of Halley's method trebles the digits.
  constexpr std::uint64_t two_thirds_of_bias = 0x2A9F'7893'782D'A1CEULL;
  double root = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) / 3 + two_thirds_of_bias);
  for (int i = 0; i < 2; ++i) {
    const double cube = root * root * root;
    root *= (cube + 2 * x) / (2 * cube + x);
  }
  return root;
}

class Slowdown {
 public:
  // `count` blocks of a kernel.
  void add(const Demand& demand, int count);
  void remove(const Demand& demand, int count) { add(demand, -count); }

  // s^3 of a kernel by the memory. At least 1, unless it is limited to some SMs: where fewer blocks are
  // resident than it has alone, each draws more from the memory.
  [[nodiscard]] double cubed_by_memory(const Demand& demand, bool limited) const;
  [[nodiscard]] double mean_use() const;  // m; 1 if no kernel uses the pipes

 private:
  std::int64_t memory_ = 0;   // V, in millionths
  std::int64_t bound_ = 0;    // sum of bound_of_block
  double requests_ = 1;       // 1 + V^3
  std::int64_t pipes_ = 0;    // sum of pipes_of_block
  std::int64_t squared_ = 0;  // the same, each times the kernel's u
};

// The part that the pipes add to s^3 of a kernel whose u is `share` times `mean`, beside blocks that ask so
// much of the pipes that it uses. Has no branches, so that those of several kernels are computed at the same
// time.
[[nodiscard]] inline double cubed_by_pipes(double pipes, double mean, double share) {
  const double excess = std::max(cubed(pipes) - cubed(mean), 0.0);
  const double unlike = cubed(1 + share * (cube_root(1 + excess) - 1)) - 1;
  return share == 1 ? excess : unlike;
}

inline double Slowdown::cubed_by_memory(const Demand& demand, bool limited) const {
  double power = demand.memory > 0 ? std::max(requests_ / demand.requests, 1.0) : 1.0;
  if (limited && bound_ < demand.bound) {
    const double part = static_cast<double>(bound_) / demand.bound;
    power = std::min(requests_of(bound_) / requests_of(demand.bound), cubed_of_part(demand, part));
  }
  return power;
}

inline double Slowdown::mean_use() const {
  return pipes_ > 0 ? static_cast<double>(squared_) / (static_cast<double>(pipes_) * whole_pipes) : 1;
}

}  // namespace jostle::gpu::space
