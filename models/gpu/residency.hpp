// Blocks on SMs: what each SM has free, and where the next blocks of a kernel go.
//
// A block needs threads, registers and shared memory of one SM, and one of its block slots; the sums over all
// resident blocks, of whatever kernel, stay within the SM's limits (CUDA programming guide, "Hardware
// Multithreading"; measured with several kernels on an H200: calibration/evidence/h200-space). The next block
// goes to the SM with room for most blocks of this kernel, the first of these if several are equal (Gilman et
// al., "Demystifying the Placement Policies of the NVIDIA GPU Thread Block Scheduler", 2021).
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

// A number of something on one SM: small, so that eight SMs fit into a vector register.
using Count = std::int16_t;

// The resources of an SM that one block takes.
struct Need {
  Count threads = 32;    // whole warps
  Count registers = 32;  // sum over its threads, in units of 32: one register of a warp
  Count shared = 0;      // memory, in units of 16 bytes, the least a block gets
};

// The need of a block of `kernel`, cut to what an SM of `gpu` has, so that every kernel can run.
[[nodiscard]] Need need_of(const Spec& gpu, const Kernel& kernel);

inline constexpr Count most_blocks = 32;  // maximum of an SM, on any architecture

// Number of blocks on each SM, and zeros up to a whole number of vectors.
using Placement = std::vector<Count>;

class Residency {
 public:
  explicit Residency(const Spec& gpu);

  [[nodiscard]] Placement nothing_placed() const { return Placement(threads_.size(), 0); }
  // Sets `room` to the number of blocks for which each SM has room.
  void find_room(const Need& need, Placement& room) const;
  // Places up to `most` blocks where `placed` says that there is room. Sets it to where they went and returns
  // their number.
  int place(const Need& need, int most, Placement& placed);
  void release(const Need& need, const Placement& placed);

 private:
  void take(const Need& need, const Placement& placed, Count sign);

  std::vector<Count> threads_, registers_, shared_, blocks_;  // free, for each SM; none beyond the last
};

}  // namespace jostle::gpu::space
