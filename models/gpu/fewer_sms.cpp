#include "models/gpu/fewer_sms.hpp"

#include <algorithm>

namespace jostle::gpu {
namespace {

// Of the SM with most blocks, over that on all SMs.
double work_of_an_sm(const Spec& gpu, const Kernel& kernel, int sms) {
  const int blocks = static_cast<int>(std::clamp<std::uint32_t>(kernel.blocks, 1, 1U << 30U));
  return static_cast<double>(std::min(blocks, gpu.sm_count)) / std::min(blocks, sms);
}

}  // namespace

double share_of_sm_work(const Spec& gpu, const Kernel& kernel, int sms) {
  const double bound = gpu.space_sharing.sm_bound * work_of_an_sm(gpu, kernel, sms);
  return bound / (1 - gpu.space_sharing.sm_bound + bound);
}

Kernel on_fewer_sms(const Spec& gpu, Kernel kernel, int sms) {
  if (sms >= gpu.sm_count || sms < 1) return kernel;
  const double fixed = static_cast<double>(kernel.fixed_share);
  const double bound = gpu.space_sharing.sm_bound;
  const double longer = (1 - bound) + bound * work_of_an_sm(gpu, kernel, sms);
  const double sum = fixed + (1 - fixed) * longer;
  kernel.duration = sim::work_in(kernel.duration, sum);
  const auto rest = static_cast<float>(longer / sum);
  kernel.fixed_share = static_cast<float>(fixed / sum);
  kernel.compute_share *= rest;
  kernel.memory_share *= rest;
  kernel.hidden_share *= rest;
  kernel.start_share *= rest;
  // The pipes need the same number of cycles, of fewer SMs and out of a longer time.
  const auto part = static_cast<float>(static_cast<double>(sms) / gpu.sm_count);
  const float before = kernel.sm_active;
  kernel.sm_active = std::min(kernel.sm_active, part);
  const auto busier = static_cast<float>(1 / sum);
  kernel.issue_slot = std::min(kernel.issue_slot * busier, kernel.sm_active);
  kernel.tensor_active = std::min(kernel.tensor_active * busier, kernel.sm_active);
  kernel.working = std::min(kernel.working * busier, kernel.sm_active);
  if (before > 0) kernel.occupancy *= kernel.sm_active / before;
  kernel.last_wave = kernel.in_last_wave = 0;
  return kernel;
}

}  // namespace jostle::gpu
