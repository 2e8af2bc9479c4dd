// Arrival of work at the GPU: batches and launches of hosts, and the reaction of a context that gets work.
#include <algorithm>

#include "models/gpu/time_sharing.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

void TimeSharedGpu::enqueue(ContextId id, const KernelSequence& kernels, bool gated) {
  Context& context = get(id);
  Batch batch;
  batch.given = batch.kernels = &kernels;
  batch.gated = gated;
  batch.launched = static_cast<std::uint32_t>(kernels.kernels.size());
  context.batches.push_back(batch);
  work_changed(context);
}

void TimeSharedGpu::begin_launches(ContextId id, const KernelSequence& kernels, const LaunchPlan& plan,
                                   bool gated) {
  Context& context = get(id);
  Batch batch;
  batch.given = batch.kernels = &kernels;
  batch.gated = gated;
  batch.kernel_by_kernel = true;
  batch.plan = plan;
  context.batches.push_back(batch);
  context.host = {engine_.now(), Duration::zero(), 0};
}

void TimeSharedGpu::host_progress(ContextId id, const HostProgress& progress) {
  Context& context = get(id);
  note_launches(context);
  context.host = progress;
  work_changed(context);
}

void TimeSharedGpu::finish_launches(ContextId id) {
  Context& context = get(id);
  note_launches(context);
  if (!context.batches.empty()) {
    Batch& newest = context.batches.back();
    newest.launched = static_cast<std::uint32_t>(newest.kernels->kernels.size());
  }
  context.host.rate = 0;
  work_changed(context);
}

void TimeSharedGpu::open(ContextId id) {
  Context& context = get(id);
  if (&context == owner_) accrue();
  for (Batch& batch : context.batches) {
    if (!batch.gated) continue;
    batch.gated = false;
    break;
  }
  work_changed(context);
}

// Accrues the launches at the old pace, before the pace changes.
void TimeSharedGpu::note_launches(Context& context) {
  if (&context == owner_) accrue();
  if (context.batches.empty()) return;
  Batch& newest = context.batches.back();
  newest.launched = launched_by(newest, context.host, engine_.now());
}

bool TimeSharedGpu::has_launched_work(const Context& context) const {
  if (context.batches.empty()) return false;
  const Batch& oldest = context.batches.front();
  return context.position.into > Duration::zero() ||
         ready_time(oldest, context.host, context.position.next) <= engine_.now();
}

// Called when the launches of a context have changed.
void TimeSharedGpu::work_changed(Context& context) {
  if (&context == owner_ && mode_ == Mode::running) {
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
  const Time launch = context.batches.empty()
                          ? Time::never()
                          : ready_time(context.batches.front(), context.host, context.position.next);
  engine_.set(context.arrival, launch, sim::action<&Context::arrive>(context));
}

void TimeSharedGpu::arrived(Context& context) {
  context.arrival = {};
  watch_for_launch(context);
}

// A context that had no work has got some.
void TimeSharedGpu::joined(Context& context) {
  const Time now = engine_.now();
  switch (mode_) {
    case Mode::idle: {
      const bool slept = now - idle_since_ >= spec_.idle_wake.after;
      const Duration wake = slept ? spec_.idle_wake.cost : Duration::zero();
      if (owner_ == nullptr || owner_ == &context) {
        owner_ = &context;
        context.position.launch_gap += wake;
        // A lone graph that follows another at once has gaps between its nodes, even if the host launches it
        // only after it has seen the end of the previous one (evidence/h200-llm: decode steps, 20 us apart).
        // Requests 2.5 ms apart and more show none (evidence/h200/open_loop_periodic.csv).
        if (contexts_.size() == 1 && now - idle_since_ < spec_.time_slicing.slice &&
            !context.batches.empty() && !context.batches.front().kernel_by_kernel)
          context.position.launch_gap += context.batches.front().given->lone_gap;
        begin_turn();
      } else {
        owner_ = &context;
        set_state(context, ContextState::switching_in);
        mode_ = Mode::switching;
        switch_began_ = now;
        ++switches_;
        set_event(now + std::max(spec_.time_slicing.switch_when_idle, wake));
      }
      return;
    }
    case Mode::holding:
      if (owner_ == &context) {
        mode_ = Mode::running;
        accrued_ = now;
        plan();
        return;
      }
      break;
    case Mode::running:
      if (!contended()) {
        accrue();
        const Duration slice = slice_of(*owner_);
        // An owner without competitors renews its slice.
        if (turn_ends_ <= now) turn_ends_ += slice * ((now - turn_ends_) / slice + 1);
        set_state(context, ContextState::waiting);
        plan();
        return;
      }
      break;
    case Mode::switching:
      break;
  }
  set_state(context, ContextState::waiting);
}

}  // namespace jostle::gpu
