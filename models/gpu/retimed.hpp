// Kernel sequences re-timed to other rates. They are computed on demand and a few are kept, because clocks
// alternate between few values.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/rates.hpp"

namespace jostle::gpu {

class RetimedKernels {
 public:
  // The sequence `given` at `rates`; `given` itself if both rates are 1. The result stays valid until the
  // call after the next one. `given` must not change between calls.
  [[nodiscard]] const KernelSequence& at(const KernelSequence& given, const Rates& rates);

 private:
  struct Entry {
    const KernelSequence* given = nullptr;
    Rates rates;
    std::uint64_t asked = 0;  // last request, counted in calls
    KernelSequence made;
  };
  std::vector<Entry> entries_;  // never grows beyond its reserved capacity
  std::uint64_t calls_ = 0;
};

}  // namespace jostle::gpu
