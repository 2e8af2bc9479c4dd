#include "models/dnn/activity.hpp"

#include <algorithm>

#include "models/gpu/occupancy.hpp"

namespace jostle::dnn {

void spread_activity(const gpu::KernelSequence& modelled, const gpu::Spec& gpu,
                     gpu::KernelSequence& measured) {
  double tensor = 0, issue = 0, bytes = 0;  // seconds with all pipes busy, and bytes, of the batch
  for (const gpu::Kernel& kernel : modelled.kernels) {
    const double seconds = sim::to_seconds(kernel.duration);
    tensor += seconds * static_cast<double>(kernel.tensor_active);
    issue += seconds * static_cast<double>(kernel.issue_slot);
    bytes += static_cast<double>(kernel.dram_bytes);
  }
  double total = 0, arithmetic = 0;
  for (const gpu::Kernel& kernel : measured.kernels) {
    total += sim::to_seconds(kernel.duration);
    arithmetic += sim::to_seconds(kernel.duration) * static_cast<double>(kernel.compute_share);
  }
  if (total <= 0) return;
  for (gpu::Kernel& kernel : measured.kernels) {
    gpu::fill_residency(gpu, kernel);
    const auto share = static_cast<double>(kernel.compute_share);
    if (arithmetic > 0)
      kernel.tensor_active = std::min(kernel.sm_active, static_cast<float>(tensor * share / arithmetic));
    kernel.issue_slot = std::min(kernel.sm_active, static_cast<float>(issue / total));
    kernel.dram_bytes = static_cast<float>(bytes * sim::to_seconds(kernel.duration) / total);
  }
  measured.rebuild_finish();
}

}  // namespace jostle::dnn
