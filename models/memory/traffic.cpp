#include "models/memory/traffic.hpp"

#include <algorithm>

namespace jostle::memory {

Demand demand_of(const dnn::KernelSequence& kernels, double capacity_bytes_per_s) {
  double bytes = 0;
  for (const dnn::Kernel& kernel : kernels.kernels) {
    const double bound = sim::to_seconds(kernel.duration) * static_cast<double>(kernel.memory_share);
    bytes += kernel.dram_bytes > 0 ? static_cast<double>(kernel.dram_bytes) : bound * capacity_bytes_per_s;
  }
  const double seconds = sim::to_seconds(kernels.total());
  if (seconds <= 0) return {};
  return {.bytes_per_s = std::min(bytes / seconds, capacity_bytes_per_s),
          .bound = std::clamp(kernels.used.back().memory / seconds, 0.0, 1.0)};
}

void Traffic::core_demands(double change_bytes_per_s) {
  threads_ += change_bytes_per_s > 0 ? 1 : -1;
  // Exactly nothing when nobody is left, whatever sums were rounded to.
  core_bytes_per_s_ = threads_ > 0 ? std::max(core_bytes_per_s_ + change_bytes_per_s, 0.0) : 0;
  arbiter_.set_demand(cores_, {.bytes_per_s = core_bytes_per_s_, .bound = 1});
}

void Traffic::copies_change(int change) {
  const bool before = copying_ > 0;
  copying_ += change;
  if (before != (copying_ > 0))
    arbiter_.set_demand(copies_, {.bytes_per_s = copying_ > 0 ? copy_bytes_per_s_ : 0, .bound = 1});
}

}  // namespace jostle::memory
