#include "models/gpu/clocks.hpp"

#include <algorithm>

namespace jostle::gpu {

Kernel at_clocks(Kernel kernel, double gpu, double memory) {
  if (gpu == 1 && memory == 1) return kernel;
  const bool by_memory = kernel.memory_share > 0;
  const auto start = static_cast<double>(by_memory ? kernel.compute_share : kernel.start_share) / gpu;
  const auto arithmetic =
      static_cast<double>(by_memory ? kernel.hidden_share : kernel.compute_share - kernel.start_share) / gpu;
  const auto bytes = static_cast<double>(by_memory ? kernel.memory_share : kernel.hidden_share) / memory;
  const double sum = start + std::max(arithmetic, bytes) + static_cast<double>(kernel.fixed_share);
  kernel.duration = sim::work_in(kernel.duration, sum);
  kernel.start_share = static_cast<float>(start / sum);
  kernel.hidden_share = static_cast<float>(std::min(arithmetic, bytes) / sum);
  kernel.memory_share = bytes > arithmetic ? static_cast<float>(bytes / sum) : 0.0F;
  kernel.compute_share = static_cast<float>((bytes > arithmetic ? start : start + arithmetic) / sum);
  kernel.fixed_share = 1 - kernel.compute_share - kernel.memory_share;
  // The pipes need the same number of cycles, out of a different total. Resident warps stay resident
  // throughout, and the pipes of an SM are busy at most while it has a warp.
  const auto busier = static_cast<float>(1 / (sum * gpu));
  kernel.issue_slot = std::min(kernel.issue_slot * busier, kernel.sm_active);
  kernel.tensor_active = std::min(kernel.tensor_active * busier, kernel.sm_active);
  kernel.working = std::min(kernel.working * busier, kernel.sm_active);
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

}  // namespace jostle::gpu
