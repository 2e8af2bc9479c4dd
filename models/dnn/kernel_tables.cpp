#include "models/dnn/kernel_tables.hpp"

namespace jostle::dnn {

sim::Duration MeasuredBatch::total() const {
  sim::Duration sum;
  for (const gpu::Kernel& kernel : kernels) sum += kernel.duration;
  return sum;
}

double profiler_correction(double profiled, double batch) {
  constexpr double repeats_differ = 0.005;
  return profiled > batch * (1 + repeats_differ) ? batch / profiled : 1;
}

const MeasuredNetwork* KernelTables::find(std::string_view model, Precision precision, int input) const {
  for (const MeasuredNetwork& network : networks) {
    if (network.model == model && network.precision == precision && network.input == input) return &network;
  }
  return nullptr;
}

}  // namespace jostle::dnn
