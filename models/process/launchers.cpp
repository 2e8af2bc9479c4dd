#include "models/process/launchers.hpp"

#include <algorithm>

namespace jostle::process {
namespace {

using sim::Duration;
using Launchers = std::variant<GraphLauncher, KernelLauncher, SegmentStream>;

Launchers make(const BoardParts& board, const Spec& spec, const Costs& costs, GpuContext& context,
               const LaunchListener& listener) {
  if (!spec.segments.empty())
    return Launchers(std::in_place_type<SegmentStream>, board, spec, costs, context, listener);
  if (spec.launches_at_once())
    return Launchers(std::in_place_type<GraphLauncher>, spec, costs, context, listener);
  return Launchers(std::in_place_type<KernelLauncher>, spec, costs, context, listener);
}

}  // namespace

Launcher::Launcher(const BoardParts& board, const Spec& spec, const Costs& costs, GpuContext& context,
                   const LaunchListener& listener)
    : launcher_(make(board, spec, costs, context, listener)) {}

Duration GraphLauncher::work(double factor, double lock) const {
  const Duration launch = runtime_.per_launch + runtime_.per_node * kernels();
  return sim::work_in(per_batch() + launch, factor) + sim::work_in(launch, factor * lock);
}

void GraphLauncher::end() {
  context_.gpu().enqueue(context_.id(), *kernels_, gate_.closed_to_next());
}

// Operators are spread evenly over the launches.
gpu::LaunchPlan KernelLauncher::plan(double factor, double lock) const {
  const Duration asked = operators_time(runtime_, *kernels_) / std::max<std::int64_t>(1, kernels());
  return {.first = sim::work_in(per_batch(), factor),
          .each = sim::work_in(spec_.pace.value_or(Duration::zero()) + runtime_.per_launch + asked, factor) +
                  sim::work_in(runtime_.per_launch, factor * lock)};
}

Duration KernelLauncher::work(double factor, double lock) const {
  const gpu::LaunchPlan plan = this->plan(factor, lock);
  return plan.first + plan.each * kernels();
}

Duration KernelLauncher::begin(double factor, double lock) {
  const gpu::LaunchPlan plan = this->plan(factor, lock);
  context_.gpu().begin_launches(context_.id(), *kernels_, plan, gate_.closed_to_next());
  launching_ = true;
  return plan.first + plan.each * kernels();
}

void KernelLauncher::end() {
  launching_ = false;
  context_.gpu().finish_launches(context_.id());
}

void KernelLauncher::host_progress(const gpu::HostProgress& progress) {
  if (launching_) context_.gpu().host_progress(context_.id(), progress);
}

}  // namespace jostle::process
