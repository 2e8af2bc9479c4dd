#include "models/dnn/clocks.hpp"

namespace jostle::dnn {

KernelSequence at_clocks(KernelSequence kernels, double gpu, double memory) {
  if (gpu == 1 && memory == 1) return kernels;
  for (Kernel& kernel : kernels.kernels) {
    const double compute = static_cast<double>(kernel.compute_share) / gpu;
    const double bytes = static_cast<double>(kernel.memory_share) / memory;
    const double sum = compute + bytes + static_cast<double>(kernel.fixed_share);
    kernel.duration = sim::work_in(kernel.duration, sum);
    kernel.compute_share = static_cast<float>(compute / sum);
    kernel.memory_share = static_cast<float>(bytes / sum);
    kernel.fixed_share = 1 - kernel.compute_share - kernel.memory_share;
    // The same cycles of the pipes, of other cycles in all; what is resident stays resident throughout.
    const auto busier = static_cast<float>(1 / (sum * gpu));
    kernel.issue_slot *= busier;
    kernel.tensor_active *= busier;
  }
  kernels.rebuild_finish();
  return kernels;
}

}  // namespace jostle::dnn
