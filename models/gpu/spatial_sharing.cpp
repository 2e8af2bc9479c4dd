#include "models/gpu/spatial_sharing.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/gpu/clocks.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

namespace {

// Share of all SMs that the kernel keeps active; 1 if nothing is known about the kernel.
double sm_share(const Kernel& kernel) {
  return kernel.sm_active > 0 ? static_cast<double>(kernel.sm_active) : 1.0;
}

}  // namespace

ContextId SpatiallySharedGpu::create_context(const ContextSpec& spec) {
  Context& context = contexts_.emplace_back();
  context.gpu = this;
  context.id = {static_cast<std::uint32_t>(contexts_.size() - 1)};
  context.spec = spec;
  if (sim::TraceSink* trace = engine_.trace()) context.track = trace->track("GPU: " + spec.name);
  return context.id;
}

void SpatiallySharedGpu::push(Context& context, const Batch& batch) {
  context.batches.push_back(batch);
  if (context.batches.size() == 1) context.kernel = 0;
}

void SpatiallySharedGpu::enqueue(ContextId id, const KernelSequence& kernels, bool gated) {
  Batch batch;
  batch.given = batch.kernels = &kernels;
  batch.gated = gated;
  batch.launched = static_cast<std::uint32_t>(kernels.kernels.size());
  push(get(id), batch);
  work_changed(get(id));
}

void SpatiallySharedGpu::begin_launches(ContextId id, const KernelSequence& kernels, const LaunchPlan& plan,
                                        bool gated) {
  Batch batch;
  batch.given = batch.kernels = &kernels;
  batch.gated = gated;
  batch.kernel_by_kernel = true;
  batch.plan = plan;
  push(get(id), batch);
  get(id).host = {engine_.now(), Duration::zero(), 0};
}

// Accrues the launches at the old pace, before the pace changes.
void SpatiallySharedGpu::note_launches(Context& context) {
  if (context.batches.empty()) return;
  Batch& newest = context.batches.back();
  newest.launched = launched_by(newest, context.host, engine_.now());
}

void SpatiallySharedGpu::host_progress(ContextId id, const HostProgress& progress) {
  Context& context = get(id);
  note_launches(context);
  context.host = progress;
  work_changed(context);
}

void SpatiallySharedGpu::finish_launches(ContextId id) {
  Context& context = get(id);
  if (!context.batches.empty()) {
    Batch& newest = context.batches.back();
    newest.launched = static_cast<std::uint32_t>(newest.kernels->kernels.size());
  }
  context.host.rate = 0;
  work_changed(context);
}

void SpatiallySharedGpu::open(ContextId id) {
  Context& context = get(id);
  const auto gated = std::ranges::find(context.batches, true, &Batch::gated);
  if (gated != context.batches.end()) gated->gated = false;
  work_changed(context);
}

// Called when the launches of a context have changed.
void SpatiallySharedGpu::work_changed(Context& context) {
  if (context.doing == Doing::nothing) pursue(context);
}

// An idle context continues with its next kernel: now, or when that kernel is launched.
void SpatiallySharedGpu::pursue(Context& context) {
  if (context.batches.empty()) return;
  const Batch& oldest = context.batches.front();
  const Time ready = ready_time(oldest, context.host, context.kernel);
  if (ready > engine_.now()) {
    set_event(context, ready);
    return;
  }
  Duration start = context.gap + (oldest.kernel_by_kernel ? context.spec.per_launch : Duration::zero());
  if (idle() && engine_.now() - idle_since_ >= spec_.idle_wake.after) start += spec_.idle_wake.cost;
  context.gap = Duration::zero();
  set_state(context, ContextState::owner);
  if (start > Duration::zero()) {
    context.doing = Doing::starting;
    set_event(context, engine_.now() + start);
  } else {
    execute(context);
  }
}

void SpatiallySharedGpu::execute(Context& context) {
  accrue();
  context.doing = Doing::executing;
  context.timed =
      at_clocks(context.batches.front().given->kernels[context.kernel], rates_.clock, rates_.memory);
  context.left = context.timed.duration;
  context.began = engine_.now() + std::min(observer_.first_stamp, context.left);
  share();
}

void SpatiallySharedGpu::due(Context& context) {
  context.event = {};
  switch (context.doing) {
    case Doing::nothing:
      pursue(context);
      return;
    case Doing::starting:
      execute(context);
      return;
    case Doing::executing:
      kernel_over(context);
      return;
  }
}

void SpatiallySharedGpu::kernel_over(Context& context) {
  accrue();
  context.left = Duration::zero();
  context.doing = Doing::nothing;
  if (observer_.finished != nullptr)
    observer_.finished(observer_.context, context.id, context.began, engine_.now());
  share();
  if (++context.kernel == context.batches.front().given->kernels.size()) {
    context.batches.erase(context.batches.begin());
    context.kernel = 0;
    ++context.unseen;
    if (context.batches.empty())
      set_state(context, ContextState::empty);
    else if (!context.batches.front().kernel_by_kernel)
      context.gap = context.batches.front().given->lone_gap;
  }
  if (idle()) idle_since_ = engine_.now();
  pursue(context);
  // Do this last: a host that is woken at once takes a core from another host, which calls back into this
  // GPU.
  for (; context.unseen > 0; --context.unseen)
    if (context.spec.listener.batch_seen != nullptr)
      context.spec.listener.batch_seen(context.spec.listener.context);
}

bool SpatiallySharedGpu::idle() const {
  return std::ranges::all_of(contexts_,
                             [](const Context& context) { return context.doing == Doing::nothing; });
}

// Accrues what has been executed up to now. A kernel that runs slower is bound for longer, but its total use
// of the GPU is the same.
void SpatiallySharedGpu::accrue() {
  const Duration passed = engine_.now() - accrued_;
  accrued_ = engine_.now();
  if (passed == Duration::zero()) return;
  bool any = false;
  for (Context& context : contexts_) {
    if (context.doing != Doing::executing) continue;
    any = true;
    const Duration done = std::min(sim::work_in(passed, speed_), context.left);
    Usage used = usage_of(context.timed, done);
    used.compute /= speed_;
    used.memory /= speed_;
    context.used += used;
    context.left -= done;
    context.ran += passed;
  }
  if (any) busy_ += passed;
}

// Computes the common speed from now on, and when each kernel will end.
void SpatiallySharedGpu::share() {
  double sms = 0, bandwidth = 0;
  for (const Context& context : contexts_) {
    if (context.doing != Doing::executing) continue;
    sms += sm_share(context.timed);
    bandwidth += static_cast<double>(context.timed.memory_share);
  }
  speed_ = 1 / std::max({1.0, sms, bandwidth});
  for (Context& context : contexts_)
    if (context.doing == Doing::executing)
      set_event(context, engine_.now() + sim::time_for(context.left, speed_));
}

// Execution so far is unchanged; a kernel in progress keeps its fraction.
void SpatiallySharedGpu::set_rates(const Rates& rates) {
  if (!(rates.clock > 0 && rates.memory > 0)) throw std::invalid_argument("the GPU's rates must be positive");
  if (rates == rates_) return;
  accrue();
  rates_ = rates;
  for (Context& context : contexts_) {
    if (context.doing != Doing::executing) continue;
    const Duration before = context.timed.duration, done = before - context.left;
    context.timed =
        at_clocks(context.batches.front().given->kernels[context.kernel], rates_.clock, rates_.memory);
    context.left = context.timed.duration - same_fraction(done, before, context.timed.duration);
  }
  share();
}

void SpatiallySharedGpu::set_state(Context& context, ContextState state) {
  if (context.state == state) return;
  if (context.spec.listener.state_changing != nullptr)
    context.spec.listener.state_changing(context.spec.listener.context, state);
  context.state = state;
  sim::TraceSink* const trace = engine_.trace();
  if (trace == nullptr) return;
  if (state == ContextState::owner)
    trace->begin(context.track, engine_.now(), context.spec.name);
  else
    trace->end(context.track, engine_.now());
}

void SpatiallySharedGpu::set_event(Context& context, Time at) {
  if (at == Time::never()) {
    engine_.cancel(context.event);
  } else if (engine_.pending(context.event)) {
    engine_.reschedule(context.event, at);
  } else {
    // After what hosts do at the same instant.
    context.event = engine_.schedule(at, sim::action<&Context::due>(context), sim::Priority::late);
  }
}

Duration SpatiallySharedGpu::running_time(ContextId id) {
  accrue();
  return get(id).ran;
}

Running SpatiallySharedGpu::running(ContextId id) {
  accrue();
  return {.total = get(id).ran, .used = get(id).used};
}

Duration SpatiallySharedGpu::busy() {
  accrue();
  return busy_;
}

}  // namespace jostle::gpu
