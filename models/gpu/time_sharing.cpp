#include "models/gpu/time_sharing.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/gpu/occupancy.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

TimeSharedGpu::TimeSharedGpu(sim::Engine& engine, const Spec& spec, std::uint64_t seed)
    : engine_(engine), spec_(spec), random_(seed, "gpu slices") {
  if (spec.time_slicing.slice <= Duration::zero())
    throw std::invalid_argument("the time slice must be positive");
  if (sim::TraceSink* trace = engine.trace()) {
    track_ = trace->track("GPU: process");
    waiting_counter_ = trace->counter("GPU: processes waiting", "processes");
    trace->count(waiting_counter_, engine.now(), 0);
  }
}

ContextId TimeSharedGpu::create_context(const ContextSpec& spec) {
  Context& context = contexts_.emplace_back();
  context.gpu = this;
  context.id = {static_cast<std::uint32_t>(contexts_.size() - 1)};
  context.spec = spec;
  context.batches.reserve(4);
  return context.id;
}

// What hosts do

void TimeSharedGpu::enqueue(ContextId id, const dnn::KernelSequence& kernels, bool gated) {
  Context& context = get(id);
  Batch batch;
  batch.kernels = &kernels;
  batch.gated = gated;
  batch.launched = static_cast<std::uint32_t>(kernels.kernels.size());
  context.batches.push_back(batch);
  work_changed(context);
}

void TimeSharedGpu::begin_launches(ContextId id, const dnn::KernelSequence& kernels, const LaunchPlan& plan,
                                   bool gated) {
  Context& context = get(id);
  Batch batch;
  batch.kernels = &kernels;
  batch.gated = gated;
  batch.piecewise = true;
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
  if (&context == owner_) book();
  for (Batch& batch : context.batches) {
    if (!batch.gated) continue;
    batch.gated = false;
    break;
  }
  work_changed(context);
}

// Books what was launched at the old pace, before the pace changes.
void TimeSharedGpu::note_launches(Context& context) {
  if (&context == owner_) book();
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

// The launches of a context are not what they were.
void TimeSharedGpu::work_changed(Context& context) {
  if (&context == owner_ && mode_ == Mode::running) {
    plan();
  } else if (context.state != ContextState::waiting && context.state != ContextState::switching_in) {
    watch_for_launch(context);
  }
}

// A context without work does something when its next kernel is launched.
void TimeSharedGpu::watch_for_launch(Context& context) {
  if (has_launched_work(context)) {
    engine_.cancel(context.arrival);
    joined(context);
    return;
  }
  const Time launch = context.batches.empty()
                          ? Time::never()
                          : ready_time(context.batches.front(), context.host, context.position.next);
  if (launch == Time::never()) {
    engine_.cancel(context.arrival);
  } else if (engine_.pending(context.arrival)) {
    engine_.reschedule(context.arrival, launch);
  } else {
    context.arrival = engine_.schedule(launch, sim::action<&Context::arrive>(context));
  }
}

void TimeSharedGpu::arrived(Context& context) {
  context.arrival = {};
  watch_for_launch(context);
}

// A context without work has some.
void TimeSharedGpu::joined(Context& context) {
  const Time now = engine_.now();
  switch (mode_) {
    case Mode::idle: {
      const bool slept = now - idle_since_ >= spec_.idle_wake.after;
      const Duration wake = slept ? spec_.idle_wake.cost : Duration::zero();
      if (owner_ == nullptr || owner_ == &context) {
        owner_ = &context;
        context.position.stall += wake;
        begin_turn();
      } else {
        owner_ = &context;
        set_state(context, ContextState::switching_in);
        mode_ = Mode::switching;
        switch_began_ = now;
        ++switches_;
        set_event(now + std::max(spec_.time_slicing.switch_when_dry, wake));
      }
      return;
    }
    case Mode::lingering:
      if (owner_ == &context) {
        mode_ = Mode::running;
        booked_ = now;
        plan();
        return;
      }
      break;
    case Mode::running:
      if (!contended()) {
        book();
        const Duration slice = spec_.time_slicing.slice;
        if (turn_ends_ <= now)
          turn_ends_ += slice * ((now - turn_ends_) / slice + 1);  // a lone owner's slices renew
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

// Turns

void TimeSharedGpu::begin_turn() {
  set_state(*owner_, ContextState::owner);
  mode_ = Mode::running;
  draining_ = false;
  booked_ = turn_began_ = engine_.now();
  turn_ends_ = turn_began_ + spec_.time_slicing.slice;
  if (const Duration jitter = spec_.time_slicing.slice_jitter; jitter > Duration::zero())
    turn_ends_ += sim::work_in(jitter, 2 * random_.uniform() - 1);
  if (sim::TraceSink* trace = engine_.trace()) trace->begin(track_, turn_began_, owner_->spec.name);
  plan();
}

// Until when the owner gets on by itself, and why not further.
void TimeSharedGpu::plan() {
  planned_ = walk(owner_->batches.front(), owner_->host, owner_->spec.per_launch, owner_->position, booked_,
                  contended() ? turn_ends_ : Time::never(), contended());
  set_event(planned_.at);
}

// Brings the owner's position to the present.
void TimeSharedGpu::book() {
  const Time now = engine_.now();
  if (mode_ != Mode::running || booked_ == now) return;
  Context& owner = *owner_;
  const Batch& batch = owner.batches.front();
  const Position position = now == planned_.at ? planned_.position
                                               : walk(batch, owner.host, owner.spec.per_launch,
                                                      owner.position, booked_, now, contended())
                                                     .position;
  if (observer_.finished != nullptr) replay(owner, owner.position, booked_);
  const Duration cold = owner.position.cold - position.cold;
  const Duration ran = executed(batch, owner.spec.per_launch, position) -
                       executed(batch, owner.spec.per_launch, owner.position) + cold;
  owner.memory += sim::to_seconds(cold);
  owner.executed += ran;
  busy_ += ran;
  owner.position = position;
  booked_ = now;
}

// What was planned has come about.
void TimeSharedGpu::due() {
  event_ = {};
  switch (mode_) {
    case Mode::idle:
      return;
    case Mode::switching:
      switching_ += engine_.now() - switch_began_;
      if (sim::TraceSink* trace = engine_.trace())
        trace->slice(track_, switch_began_, engine_.now() - switch_began_, "switch");
      begin_turn();
      return;
    case Mode::lingering:
      leave(false);
      return;
    case Mode::running:
      break;
  }
  book();
  switch (planned_.why) {
    case Stop::batch_done: {
      Context& owner = *owner_;
      const bool seen = owner.spec.refill_prolongs_turn || !contended();
      finish_batch(owner);
      go_on();
      // Last: a host that is woken at once takes a core from another, which tells us so.
      if (seen) see_finished(owner);
      return;
    }
    case Stop::dry:
      ran_dry();
      return;
    case Stop::limit: {
      if (!draining_) {
        draining_ = true;
        const Batch& batch = owner_->batches.front();
        const Duration done = executed(batch, owner_->spec.per_launch, owner_->position);
        const Underway at = underway(*batch.kernels, done);
        const Duration drain = at.done > Duration::zero()
                                   ? drain_after_expiry(spec_, batch.kernels->kernels[at.kernel], at.done)
                                   : Duration::zero();
        if (drain > Duration::zero()) {
          turn_ends_ = engine_.now() + drain;
          plan();
          return;
        }
      }
      leave(true);
      return;
    }
    case Stop::starved:
      return;
  }
}

// The owner has finished a batch and keeps the GPU if it has more.
void TimeSharedGpu::go_on() {
  if (!owner_->batches.empty()) {
    if (!contended() && !owner_->batches.front().piecewise)
      owner_->position.stall += owner_->batches.front().kernels->lone_gap;
    plan();
  } else if (!contended()) {
    if (sim::TraceSink* trace = engine_.trace()) trace->end(track_, engine_.now());
    set_state(*owner_, ContextState::empty);
    mode_ = Mode::idle;
    idle_since_ = engine_.now();
  } else {
    ran_dry();
  }
}

// The owner has nothing to do while others wait: it keeps the GPU for a while, but not beyond its slice.
void TimeSharedGpu::ran_dry() {
  const Time until = std::min(engine_.now() + spec_.time_slicing.linger, turn_ends_);
  if (until <= engine_.now()) {
    leave(false);
    return;
  }
  mode_ = Mode::lingering;
  set_event(until);
  watch_for_launch(*owner_);
}

void TimeSharedGpu::finish_batch(Context& context) {
  const dnn::KernelSequence& kernels = *context.batches.front().kernels;
  context.compute += kernels.compute_until.back();
  context.memory += kernels.memory_until.back();
  context.batches.erase(context.batches.begin());
  context.position.next = 0;
  context.position.into = Duration::zero();
  ++context.unseen;
}

void TimeSharedGpu::see_finished(Context& context) {
  for (; context.unseen > 0; --context.unseen)
    if (context.spec.listener.batch_seen != nullptr)
      context.spec.listener.batch_seen(context.spec.listener.context);
}

// The owner's turn is over: the GPU goes to the next that waits (one does).
void TimeSharedGpu::leave(bool expired) {
  Context& last = *owner_;
  const Time now = engine_.now();
  if (sim::TraceSink* trace = engine_.trace()) trace->end(track_, now);
  Duration cost = spec_.time_slicing.switch_when_dry;
  if (expired) {
    const Batch& batch = last.batches.front();
    const Underway at = underway(*batch.kernels, executed(batch, last.spec.per_launch, last.position));
    cost = expiry_cost(spec_, at.done > Duration::zero() ? &batch.kernels->kernels[at.kernel] : nullptr);
    last.cold_start = last.position.cold = cold_after_expiry(spec_, *last.batches.front().kernels);
  }
  last.position.stall = Duration::zero();  // hidden in the turns of others
  Context& next = *next_waiting();
  set_state(next, ContextState::switching_in);
  owner_ = &next;
  mode_ = Mode::switching;
  switch_began_ = now;
  ++switches_;
  set_event(now + cost);
  set_state(last, ContextState::empty);
  watch_for_launch(last);
  see_finished(last);
}

// Round robin over those that wait, from the owner on; null if nobody does.
TimeSharedGpu::Context* TimeSharedGpu::next_waiting() {
  const std::size_t count = contexts_.size();
  for (std::size_t i = 1; i < count; ++i) {
    Context& context = contexts_[(owner_->id.index + i) % count];
    if (context.state == ContextState::waiting) return &context;
  }
  return nullptr;
}

void TimeSharedGpu::set_state(Context& context, ContextState state) {
  if (context.state == state) return;
  if (context.spec.listener.state_changing != nullptr)
    context.spec.listener.state_changing(context.spec.listener.context, state);
  const int waited = waiting_;
  if (context.state == ContextState::waiting) --waiting_;
  if (state == ContextState::waiting) ++waiting_;
  context.state = state;
  if (sim::TraceSink* trace = engine_.trace(); trace != nullptr && waiting_ != waited)
    trace->count(waiting_counter_, engine_.now(), waiting_);
}

void TimeSharedGpu::set_event(Time at) {
  if (at == Time::never()) {
    engine_.cancel(event_);
  } else if (engine_.pending(event_)) {
    engine_.reschedule(event_, at);
  } else {
    // Behind what hosts do at the same time.
    event_ = engine_.schedule(at, sim::action<&TimeSharedGpu::due>(*this), sim::Priority::late);
  }
}

// Readings

Duration TimeSharedGpu::running_time(ContextId id) {
  if (&get(id) == owner_) book();
  return get(id).executed;
}

Running TimeSharedGpu::running(ContextId id) {
  Running running{
      .total = running_time(id), .compute = get(id).compute, .memory = get(id).memory, .fixed = 0};
  const Context& context = get(id);
  if (!context.batches.empty()) {
    const Batch& batch = context.batches.front();
    const dnn::KernelSequence& kernels = *batch.kernels;
    const Underway at = underway(kernels, executed(batch, context.spec.per_launch, context.position));
    if (at.kernel > 0) {
      running.compute += kernels.compute_until[at.kernel - 1];
      running.memory += kernels.memory_until[at.kernel - 1];
    }
    if (at.kernel < kernels.kernels.size()) {
      const dnn::Kernel& kernel = kernels.kernels[at.kernel];
      running.compute += sim::to_seconds(at.done) * static_cast<double>(kernel.compute_share);
      running.memory += sim::to_seconds(at.done) * static_cast<double>(kernel.memory_share);
    }
  }
  running.fixed = std::max(sim::to_seconds(running.total) - running.compute - running.memory, 0.0);
  return running;
}

Duration TimeSharedGpu::busy() {
  book();
  return busy_;
}

Duration TimeSharedGpu::switching() {
  return mode_ == Mode::switching ? switching_ + (engine_.now() - switch_began_) : switching_;
}

// Tells the observer of the kernels that ended between `from`, at `since`, and now.
void TimeSharedGpu::replay(Context& context, const Position& from, Time since) {
  const Batch& batch = context.batches.front();
  const std::vector<dnn::Kernel>& kernels = batch.kernels->kernels;
  const Time now = engine_.now();
  const Duration front_end = batch.piecewise ? context.spec.per_launch : Duration::zero();
  Time t = since + from.stall + from.cold;
  std::uint32_t next = from.next;
  Duration into = from.into;
  if (!batch.piecewise) {
    const Underway at = underway(*batch.kernels, from.into);
    next = at.kernel;
    into = at.done;
  }
  for (; next < kernels.size(); ++next, into = Duration::zero()) {
    if (into == Duration::zero()) t = std::max(t, ready_time(batch, context.host, next));
    if (t > now) return;
    const Duration cost = front_end + kernels[next].duration;
    const Duration stamped = front_end + std::min(observer_.first_stamp, kernels[next].duration);
    // A kernel that starts with a refill is the slower for it: it begins before.
    const Time stamp = t + (stamped - into);
    if (into <= stamped) context.kernel_began = stamp - context.cold_start;
    if (stamp < now) context.cold_start = Duration::zero();
    if (t + (cost - into) > now) return;
    t += cost - into;
    context.cold_start = Duration::zero();
    observer_.finished(observer_.context, context.id, context.kernel_began, t);
  }
}

}  // namespace jostle::gpu
