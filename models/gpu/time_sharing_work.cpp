// Arrival of work at the GPU: batches and launches of hosts, and the reaction of a context that gets work.

#include "models/gpu/time_sharing.hpp"

namespace jostle::gpu {

using sim::Duration;

void TimeSharedGpu::enqueue(ContextId id, const KernelSequence& kernels, bool gated) {
  get(id).batches.enqueue(kernels, gated);
  work_changed(get(id));
}

void TimeSharedGpu::begin_launches(ContextId id, const KernelSequence& kernels, const LaunchPlan& plan,
                                   bool gated) {
  get(id).batches.begin_launches(kernels, plan, gated, engine_.now());
}

void TimeSharedGpu::host_progress(ContextId id, const HostProgress& progress) {
  Context& context = get(id);
  if (&context == owner_) accrue();
  context.batches.host_progress(progress);
  work_changed(context);
}

void TimeSharedGpu::finish_launches(ContextId id) {
  Context& context = get(id);
  if (&context == owner_) accrue();
  context.batches.finish_launches();
  work_changed(context);
}

void TimeSharedGpu::open(ContextId id) {
  Context& context = get(id);
  if (&context == owner_) accrue();
  context.batches.open();
  work_changed(context);
}

bool TimeSharedGpu::has_launched_work(const Context& context) const {
  if (context.batches.empty()) return false;
  return context.position.into > Duration::zero() ||
         context.batches.ready(context.position.next) <= engine_.now();
}

// Called when the launches of a context have changed.
void TimeSharedGpu::work_changed(Context& context) {
  if (&context == owner_ && turns_.mode() == Mode::running) {
    plan();
  } else if (context.state != ContextState::waiting && context.state != ContextState::switching_in) {
    watch_for_launch(context);
  }
}

// Schedules an event for the next launch of a context without work.
void TimeSharedGpu::watch_for_launch(Context& context) {
  if (has_launched_work(context)) {
    engine_.cancel(context.arrival);
    joined(context);
    return;
  }
  engine_.set(context.arrival, context.batches.ready(context.position.next),
              sim::action<&Context::arrive>(context));
}

void TimeSharedGpu::arrived(Context& context) {
  context.arrival = {};
  watch_for_launch(context);
}

// A context that had no work has got some.
void TimeSharedGpu::joined(Context& context) {
  const std::size_t index = context.id.index;
  if (turns_.mode() == Mode::idle) {
    const Duration wake = turns_.wake();
    if (!turns_.wake_up(index)) {
      switch_in();
      return;
    }
    owner_ = &context;
    context.position.launch_gap += wake;
    // A lone graph that follows another at once has gaps between its nodes, even if the host launches it
    // only after it has seen the end of the previous one (evidence/h200-llm: decode steps, 20 us apart).
    // Requests 2.5 ms apart and more show none (evidence/h200/open_loop_periodic.csv).
    if (contexts_.size() == 1 && turns_.idle_for() < spec_.time_slicing.slice && !context.batches.empty() &&
        !context.batches.front().kernel_by_kernel)
      context.position.launch_gap += context.batches.front().given->lone_gap;
    begin_turn();
  } else if (turns_.mode() == Mode::holding && &context == owner_) {
    turns_.resume();
    accrued_ = engine_.now();
    plan();
  } else {
    const bool first = turns_.mode() == Mode::running && !contended();
    if (first) accrue();
    set_state(context, ContextState::waiting);
    turns_.wait(index);
    if (first) plan();
  }
}

}  // namespace jostle::gpu
