#include "models/process/gpu_context.hpp"

namespace jostle::process {
namespace {

// All kernels that a batch launches on the GPU, in all its segments.
gpu::SharedKernels gpu_work(const Spec& spec) {
  if (spec.segments.empty()) return spec.kernels;
  gpu::KernelSequence work;
  for (const Segment& segment : spec.segments)
    work.kernels.insert(work.kernels.end(), segment.kernels->kernels.begin(), segment.kernels->kernels.end());
  work.rebuild_finish();
  return work;
}

}  // namespace

GpuContext::GpuContext(const BoardParts& board, const Spec& spec, const Costs& costs, TimeAccount& account,
                       sim::Action batch_seen)
    : gpu_(*board.gpu),
      traffic_(board.traffic),
      instance_(board.gpu_instance),
      account_(account),
      batch_seen_(batch_seen) {
  if (traffic_) demand_ = memory::demand_of(gpu_work(spec), traffic_->arbiter().capacity());
  id_ = gpu_.create_context(
      {.name = spec.name,
       .follow_up_prolongs_turn = costs.follow_up_prolongs_turn,
       .per_launch = costs.runtime.gpu_per_launch,
       .slice = spec.slice,
       .interleave = spec.interleave,
       .group = spec.gpu_group,
       .priority = spec.priority,
       .mps_threads = spec.mps_threads,
       .partition = spec.partition,
       .functions = spec.functions,
       .listener = {
           .batch_seen = [](void* self) { static_cast<GpuContext*>(self)->batch_seen_(); },
           .state_changing = [](void* self,
                                gpu::ContextState next) { static_cast<GpuContext*>(self)->changing(next); },
           .context = this}});
  number_ = account_.follow(gpu_, id_);
}

void GpuContext::changing(gpu::ContextState next) {
  account_.set_context(number_, next);
  const bool owns = next == gpu::ContextState::owner;
  if (!traffic_ || owns == owns_gpu_) return;
  owns_gpu_ = owns;
  if (owns) {
    traffic_->gpu_runs(demand_, instance_);
  } else {
    traffic_->gpu_rests(instance_);
  }
}

gpu::Running GpuContext::running() {
  gpu::Running running = gpu_.running(id_);
  running.total -= running_before_.total;
  running.used -= running_before_.used;
  return running;
}

}  // namespace jostle::process
