#include "models/dnn/clocks.hpp"

#include <algorithm>

namespace jostle::dnn {

Kernel at_clocks(Kernel kernel, double gpu, double memory) {
  if (gpu == 1 && memory == 1) return kernel;
  const double compute = static_cast<double>(kernel.compute_share) / gpu;
  const double bytes = static_cast<double>(kernel.memory_share) / memory;
  const double sum = compute + bytes + static_cast<double>(kernel.fixed_share);
  kernel.duration = sim::work_in(kernel.duration, sum);
  kernel.compute_share = static_cast<float>(compute / sum);
  kernel.memory_share = static_cast<float>(bytes / sum);
  kernel.fixed_share = 1 - kernel.compute_share - kernel.memory_share;
  // The same cycles of the pipes, of other cycles in all; what is resident stays resident throughout, and the
  // pipes of an SM are busy at most while it has a warp.
  const auto busier = static_cast<float>(1 / (sum * gpu));
  kernel.issue_slot = std::min(kernel.issue_slot * busier, kernel.sm_active);
  kernel.tensor_active = std::min(kernel.tensor_active * busier, kernel.sm_active);
  return kernel;
}

KernelSequence at_clocks(KernelSequence kernels, double gpu, double memory) {
  if (gpu == 1 && memory == 1) return kernels;
  for (Kernel& kernel : kernels.kernels) kernel = at_clocks(kernel, gpu, memory);
  kernels.rebuild_finish();
  return kernels;
}

void at_clocks(const KernelSequence& given, double gpu, double memory, KernelSequence& there) {
  there.kernels.clear();
  there.kernels.reserve(given.kernels.size());
  for (const Kernel& kernel : given.kernels) there.kernels.push_back(at_clocks(kernel, gpu, memory));
  there.rebuild_finish();
}

}  // namespace jostle::dnn
