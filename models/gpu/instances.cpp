#include "models/gpu/instances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "models/gpu/clocks.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::gpu {
namespace {

bool have_places(std::span<const InstanceKind* const> kinds, std::uint64_t taken) {
  if (kinds.empty()) return true;
  const std::uint64_t slices = (std::uint64_t{1} << kinds.front()->slices) - 1;
  return std::ranges::any_of(kinds.front()->starts, [&](int start) {
    const std::uint64_t own = slices << start;
    return (taken & own) == 0 && have_places(kinds.subspan(1), taken | own);
  });
}

// The times of arithmetic on the instance's SMs over those on all.
double longer_on(const Spec& whole, const Kernel& kernel, int sms) {
  const double fixed = sim::to_seconds(kernel.duration) * static_cast<double>(kernel.fixed_share);
  const double before = sim::to_seconds(kernel.duration) - fixed;
  const double after = sim::to_seconds(space::time_alone(space::work_of(whole, kernel, sms), {})) - fixed;
  return before > 0 ? std::max(after / before, 1.0) : 1;
}

}  // namespace

const InstanceKind* find_instance(const InstanceKinds& offered, std::string_view name) {
  const auto& kinds = offered.kinds;
  auto found = std::ranges::find(kinds, name, &InstanceKind::name);
  if (found == kinds.end())
    found = std::ranges::find_if(kinds, [&](const InstanceKind& kind) {
      return std::string_view(kind.name).substr(0, kind.name.find('.')) == name;
    });
  return found == kinds.end() ? nullptr : &*found;
}

bool fit_together(std::span<const InstanceKind* const> kinds) {
  return have_places(kinds, 0);
}

std::string in_words(const InstanceKinds& offered) {
  std::vector<std::string> all;
  for (const InstanceKind& kind : offered.kinds)
    all.push_back(fmt::format("{} ({} SMs, at most {})", kind.name, kind.sms, kind.starts.size()));
  return fmt::format("{}", fmt::join(all, ", "));
}

Spec instance_of(Spec gpu, const InstanceKinds& offered, const InstanceKind& kind) {
  const double part = static_cast<double>(kind.slices) / offered.slices;
  gpu.sm_count = std::min(gpu.sm_count, kind.sms);
  gpu.l2_bytes *= part;
  if (kind.memory_bytes <= 0) return gpu;
  gpu.bandwidth_bytes_per_s *= part;
  gpu.memory_bytes_per_clock *= part;
  return gpu;
}

KernelSequence on_instance(KernelSequence kernels, const Spec& whole, const Spec& instance) {
  const double bandwidth = instance.bandwidth_bytes_per_s / whole.bandwidth_bytes_per_s;
  const double sms = static_cast<double>(whole.sm_count) / instance.sm_count;
  for (Kernel& kernel : kernels.kernels) {
    const Kernel before = kernel;
    kernel =
        at_clocks(kernel, {.clock = 1 / longer_on(whole, kernel, instance.sm_count), .memory = bandwidth});
    fill_residency(instance, kernel);
    // The same cycles of the pipes, of fewer SMs in a longer time.
    const double busier = sms * sim::to_seconds(before.duration) / sim::to_seconds(kernel.duration);
    const auto of_instance = [&](float share) {
      return std::min(static_cast<float>(static_cast<double>(share) * busier), kernel.sm_active);
    };
    kernel.tensor_active = of_instance(before.tensor_active);
    kernel.issue_slot = of_instance(before.issue_slot);
  }
  kernels.rebuild_finish();
  return kernels;
}

}  // namespace jostle::gpu
