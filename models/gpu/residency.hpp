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

// What one block takes of an SM.
struct Need {
  Count threads = 32;    // whole warps
  Count registers = 32;  // of all its threads, in units of 32: one register of a warp
  Count shared = 0;      // memory, in units of 16 bytes, the least a block gets
};

// The need of a block of `kernel`, cut to what an SM of `gpu` has, so that every kernel can run.
[[nodiscard]] Need need_of(const Spec& gpu, const Kernel& kernel);

// SMs `first` to `first + count - 1`, in a ring.
struct SmRange {
  int first = 0;
  int count = 0;
};

// Whether two ranges of a GPU with `sms` SMs have one in common.
[[nodiscard]] bool overlap(const SmRange& a, const SmRange& b, int sms);

// Number of blocks on each SM, and zeros up to a whole number of vectors.
using Placement = std::vector<Count>;

class Residency {
 public:
  explicit Residency(const Spec& gpu);

  [[nodiscard]] int sms() const { return sms_; }
  [[nodiscard]] Placement nothing_placed() const { return Placement(threads_.size(), 0); }
  // Places up to `most` blocks on the SMs of `range`. Sets `placed` to where they went and returns their
  // number.
  int place(const Need& need, int most, SmRange range, Placement& placed);
  void release(const Need& need, const Placement& placed);

 private:
  void take(const Need& need, const Placement& placed, Count sign);
  [[nodiscard]] Count find_room(const Need& need, SmRange range, Placement& room) const;

  int sms_ = 0;
  std::vector<Count> threads_, registers_, shared_, blocks_;  // free, for each SM; none beyond the last
};

}  // namespace jostle::gpu::space
