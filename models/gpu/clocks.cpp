#include "models/gpu/clocks.hpp"

#include <algorithm>

namespace jostle::gpu {
namespace {

bool as_given(const Rates& rates) {
  return rates.clock == 1 && rates.memory == 1;
}

}  // namespace

Kernel at_clocks(Kernel kernel, const Rates& rates) {
  if (as_given(rates)) return kernel;
  const auto tensor = static_cast<double>(kernel.tensor_active);
  const double gpu = rates.clock * (rates.droop.speed(rates.clock, tensor) / rates.droop.speed(1, tensor));
  const bool by_memory = kernel.memory_share > 0;
  const auto start = static_cast<double>(by_memory ? kernel.compute_share : kernel.start_share) / gpu;
  const auto arithmetic =
      static_cast<double>(by_memory ? kernel.hidden_share : kernel.compute_share - kernel.start_share) / gpu;
  const auto bytes =
      static_cast<double>(by_memory ? kernel.memory_share : kernel.hidden_share) / rates.memory;
  const double sum = start + std::max(arithmetic, bytes) + static_cast<double>(kernel.fixed_share);
  kernel.duration = sim::work_in(kernel.duration, sum);
  kernel.start_share = static_cast<float>(start / sum);
  kernel.hidden_share = static_cast<float>(std::min(arithmetic, bytes) / sum);
  kernel.memory_share = bytes > arithmetic ? static_cast<float>(bytes / sum) : 0.0F;
  kernel.compute_share = static_cast<float>((bytes > arithmetic ? start : start + arithmetic) / sum);
  kernel.fixed_share = 1 - kernel.compute_share - kernel.memory_share;
  // The pipes need the same number of cycles, out of a different total. Resident warps stay resident
  // throughout, and the pipes of an SM are busy at most while it has a warp.
  const auto busier = static_cast<float>(1 / (sum * rates.clock));
  kernel.issue_slot = std::min(kernel.issue_slot * busier, kernel.sm_active);
  kernel.tensor_active = std::min(kernel.tensor_active * busier, kernel.sm_active);
  kernel.working = std::min(kernel.working * busier, kernel.sm_active);
  return kernel;
}

KernelSequence at_clocks(KernelSequence kernels, const Rates& rates) {
  if (as_given(rates)) return kernels;
  for (Kernel& kernel : kernels.kernels) kernel = at_clocks(kernel, rates);
  kernels.rebuild_finish();
  return kernels;
}

void at_clocks(const KernelSequence& given, const Rates& rates, KernelSequence& there) {
  there.kernels.clear();
  there.kernels.reserve(given.kernels.size());
  for (const Kernel& kernel : given.kernels) there.kernels.push_back(at_clocks(kernel, rates));
  there.rebuild_finish();
}

}  // namespace jostle::gpu
