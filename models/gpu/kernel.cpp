#include "models/gpu/kernel.hpp"

namespace jostle::gpu {

const char* to_string(Grade grade) {
  switch (grade) {
    case Grade::measured:
      return "measured";
    case Grade::interpolated:
      return "interpolated";
    case Grade::fitted:
      return "fitted";
    case Grade::datasheet:
      return "datasheet";
  }
  return "?";
}

Usage& Usage::operator+=(const Usage& other) {
  compute += other.compute;
  memory += other.memory;
  sm_active += other.sm_active;
  issue_slot += other.issue_slot;
  tensor_active += other.tensor_active;
  occupancy += other.occupancy;
  working += other.working;
  dram_bytes += other.dram_bytes;
  return *this;
}

Usage& Usage::operator-=(const Usage& other) {
  compute -= other.compute;
  memory -= other.memory;
  sm_active -= other.sm_active;
  issue_slot -= other.issue_slot;
  tensor_active -= other.tensor_active;
  occupancy -= other.occupancy;
  working -= other.working;
  dram_bytes -= other.dram_bytes;
  return *this;
}

Usage usage_of(const Kernel& kernel, sim::Duration done) {
  const double seconds = sim::to_seconds(done);
  const double whole = sim::to_seconds(kernel.duration);
  return {.compute = seconds * static_cast<double>(kernel.compute_share),
          .memory = seconds * static_cast<double>(kernel.memory_share),
          .sm_active = seconds * static_cast<double>(kernel.sm_active),
          .issue_slot = seconds * static_cast<double>(kernel.issue_slot),
          .tensor_active = seconds * static_cast<double>(kernel.tensor_active),
          .occupancy = seconds * static_cast<double>(kernel.occupancy),
          .working = seconds * static_cast<double>(kernel.working),
          .dram_bytes = whole > 0 ? static_cast<double>(kernel.dram_bytes) * (seconds / whole) : 0};
}

void KernelSequence::rebuild_finish() {
  finish.clear();
  used.clear();
  finish.reserve(kernels.size());
  used.reserve(kernels.size());
  sim::Duration sum;
  Usage usage;
  for (const Kernel& kernel : kernels) {
    finish.push_back(sum += kernel.duration);
    used.push_back(usage += usage_of(kernel, kernel.duration));
  }
}

}  // namespace jostle::gpu
