// Work that runs on one profile share: the kernels of a network at its clocks, and its memory, are computed
// once. The points of a study mostly vary other settings.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "models/gpu/kernel.hpp"
#include "models/memory/footprint.hpp"

namespace jostle::scenarios {

struct Result;

// A cache of values by a key, which must contain everything they depend on. It is thread-safe.
template <class T>
class Once {
 public:
  template <class Make>
  [[nodiscard]] T get(const std::string& from, const Make& make) {
    {
      const std::lock_guard lock(guard_);
      if (const auto known = known_.find(from); known != known_.end()) return known->second;
    }
    T made = make();  // two threads may both make it: the values are equal
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
  // Takes the result of each run by itself, with every percentile, from any thread; empty: nobody wants them.
  std::function<void(Result result)> keep = {};
};

}  // namespace jostle::scenarios
