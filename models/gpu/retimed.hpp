// Kernel sequences as they run at other rates than they were given at: made when they are needed, and a few
// kept, since clocks go back and forth between few values.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/rates.hpp"

namespace jostle::gpu {

class RetimedKernels {
 public:
  // `given` at `rates`: itself where they are 1. The answer is good until the next call but one; `given` must
  // not change between calls.
  [[nodiscard]] const KernelSequence& at(const KernelSequence& given, const Rates& rates);

 private:
  struct Entry {
    const KernelSequence* given = nullptr;
    Rates rates;
    std::uint64_t asked = 0;  // when last, counted in calls
    KernelSequence made;
  };
  std::vector<Entry> entries_;  // never grows beyond what it has reserved
  std::uint64_t calls_ = 0;
};

}  // namespace jostle::gpu
