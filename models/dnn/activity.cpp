#include "models/dnn/activity.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "models/gpu/occupancy.hpp"

namespace jostle::dnn {
namespace {

// Totals of one kind of layers, products or others: bytes as the cost model computes them, and seconds in
// which the measured kernels of that kind are bound by arithmetic or memory.
struct Kind {
  double dram_bytes = 0, moved_bytes = 0, seconds = 0;
};

double bound_seconds(const gpu::Kernel& kernel) {
  return sim::to_seconds(kernel.duration) * static_cast<double>(kernel.compute_share + kernel.memory_share);
}

void spread_bytes(const KernelsOfLayers& modelled, gpu::KernelSequence& measured) {
  Kind products, others;
  for (std::size_t i = 0; i < modelled.product.size(); ++i) {
    Kind& kind = modelled.product[i] ? products : others;
    kind.dram_bytes += static_cast<double>(modelled.sequence.kernels[i].dram_bytes);
    kind.moved_bytes += static_cast<double>(modelled.sequence.kernels[i].moved_bytes);
  }
  const auto kind_of = [&](const gpu::Kernel& kernel) -> Kind& {
    return kernel.compute_share > 0 ? products : others;
  };
  for (const gpu::Kernel& kernel : measured.kernels) kind_of(kernel).seconds += bound_seconds(kernel);
  for (Kind* const kind : {&products, &others}) {
    if (kind->seconds > 0) continue;  // no measured kernel is of this kind: its bytes go to the other
    Kind& rest = kind == &products ? others : products;
    rest.dram_bytes += std::exchange(kind->dram_bytes, 0);
    rest.moved_bytes += std::exchange(kind->moved_bytes, 0);
  }
  for (gpu::Kernel& kernel : measured.kernels) {
    const Kind& kind = kind_of(kernel);
    const double share = kind.seconds > 0 ? bound_seconds(kernel) / kind.seconds : 0;
    kernel.dram_bytes = static_cast<float>(kind.dram_bytes * share);
    kernel.moved_bytes = static_cast<float>(kind.moved_bytes * share);
  }
}

}  // namespace

void note_warp_pipes(gpu::Kernel& kernel) {
  constexpr float product = 0.17F, other = 0.01F;
  const bool on_cuda_cores = kernel.tensor_active <= 0;
  kernel.warp_pipes = kernel.compute_share <= kernel.memory_share ? other : on_cuda_cores ? product : 0.0F;
}

void spread_activity(const KernelsOfLayers& modelled, const gpu::Spec& gpu, gpu::KernelSequence& measured) {
  double tensor = 0, issue = 0;  // seconds per batch in which all pipes are busy
  for (const gpu::Kernel& kernel : modelled.sequence.kernels) {
    const double seconds = sim::to_seconds(kernel.duration);
    tensor += seconds * static_cast<double>(kernel.tensor_active);
    issue += seconds * static_cast<double>(kernel.issue_slot);
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
    note_warp_pipes(kernel);
  }
  spread_bytes(modelled, measured);
  gpu::note_reuse(measured.kernels);
  measured.rebuild_finish();
}

}  // namespace jostle::dnn
