// Blocks on SMs: what each SM has free, and where the next blocks of a kernel go.
//
// A block needs threads, registers and shared memory of one SM, and one of its block slots; the sums over all
// resident blocks, of whatever kernel, stay within the SM's limits (CUDA programming guide, "Hardware
// Multithreading"; measured with several kernels on an H200: calibration/evidence/h200-space). The next block
// goes to the SM with room for most blocks of this kernel, the first of these if several are equal (Gilman et
// al., "Demystifying the Placement Policies of the NVIDIA GPU Thread Block Scheduler", 2021).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu::space {

// What one block takes of an SM.
struct Need {
  std::int32_t threads = 32;    // whole warps
  std::int32_t registers = 32;  // of all its threads
  std::int32_t shared_bytes = 0;
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

// Number of blocks on each SM.
using Placement = std::vector<std::uint8_t>;

class Residency {
 public:
  explicit Residency(const Spec& gpu);

  [[nodiscard]] int sms() const { return sms_; }
  // Places up to `most` blocks on the SMs of `range`, and adds them to `placed` (of sms() entries). Returns
  // their number.
  int place(const Need& need, int most, SmRange range, std::span<std::uint8_t> placed);
  void release(const Need& need, std::span<const std::uint8_t> placed);

 private:
  template <class Count>
  void take(const Need& need, std::span<const Count> count, std::int32_t sign);
  int find_room(const Need& need, SmRange range);

  int sms_ = 0;
  std::vector<std::int32_t> threads_, registers_, shared_, blocks_;  // free, for each SM
  std::vector<std::int32_t> room_;                                   // blocks of the kernel that is placed
};

}  // namespace jostle::gpu::space
