// What runs on one profile have in common: the kernels of a network at its clocks, and what the network holds
// in memory, are computed once. The points of a study differ in little else than what they do not depend on.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "models/gpu/kernel.hpp"
#include "models/memory/footprint.hpp"

namespace jostle::scenarios {

// Values by a text that says all that they follow from. Several threads may ask at once.
template <class T>
class Once {
 public:
  template <class Make>
  [[nodiscard]] T get(const std::string& from, const Make& make) {
    {
      const std::lock_guard lock(guard_);
      if (const auto known = known_.find(from); known != known_.end()) return known->second;
    }
    T made = make();  // two threads may both make it: it is the same
    const std::lock_guard lock(guard_);
    return known_.emplace(from, std::move(made)).first->second;
  }

 private:
  std::mutex guard_;
  std::map<std::string, T> known_;
};

struct SharedWork {
  Once<gpu::SharedKernels> kernels;
  Once<memory::Footprint> footprints;
};

}  // namespace jostle::scenarios
