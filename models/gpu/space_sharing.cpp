#include "models/gpu/space_sharing.hpp"

#include <algorithm>
#include <stdexcept>

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

namespace {

// Fitted to mps.csv: a kernel does not start while one of another process is in its way.
Spec started_at_once(Spec spec, SpaceOf space) {
  if (space == SpaceOf::all_processes) spec.space_sharing.kernel_start = Duration::zero();
  return spec;
}

}  // namespace

SpaceSharedGpu::SpaceSharedGpu(sim::Engine& engine, const Spec& spec, SpaceOf space, std::uint64_t seed,
                               std::optional<LoopPrecision> loops)
    : engine_(engine),
      spec_(started_at_once(spec, space)),
      turns_(engine, spec_, seed, space == SpaceOf::each_process),
      readings_(space),
      streams_(engine, spec_, space, readings_),
      repeats_(engine, readings_, loops,
               spec.time_slicing.granularity == PreemptionGranularity::instruction) {}

ContextId SpaceSharedGpu::create_context(const ContextSpec& spec) {
  const std::size_t groups = streams_.groups();
  const Stream& stream = streams_.add(spec, readings_.add(spec.group));
  if (streams_.groups() > groups) turns_.add(spec);
  repeats_.add(
      {.batches = &stream.batches, .priority = spec.priority, .sms = stream.spec.sms, .group = stream.group});
  Context& context = contexts_.emplace_back();
  context.spec = spec;
  if (sim::TraceSink* trace = engine_.trace()) context.track = trace->track("GPU: " + spec.name);
  return {static_cast<std::uint32_t>(stream.context)};
}

void SpaceSharedGpu::set_observer(const KernelObserver& observer) {
  streams_.set_observer(observer);
  if (observer.finished != nullptr) repeats_.forbid();
}

void SpaceSharedGpu::enqueue(ContextId id, const KernelSequence& kernels, bool gated) {
  catch_up();
  Stream& stream = streams_[id.index];
  stream.batches.enqueue(kernels, gated);
  note_first(stream);
  launches_changed(stream);
}

void SpaceSharedGpu::begin_launches(ContextId id, const KernelSequence& kernels, const LaunchPlan& plan,
                                    bool gated) {
  catch_up();
  Stream& stream = streams_[id.index];
  stream.batches.begin_launches(kernels, plan, gated, engine_.now());
  note_first(stream);
}

void SpaceSharedGpu::host_progress(ContextId id, const HostProgress& progress) {
  catch_up();
  streams_[id.index].batches.host_progress(progress);
  launches_changed(streams_[id.index]);
}

void SpaceSharedGpu::finish_launches(ContextId id) {
  catch_up();
  streams_[id.index].batches.finish_launches();
  launches_changed(streams_[id.index]);
}

void SpaceSharedGpu::open(ContextId id) {
  catch_up();
  Stream& stream = streams_[id.index];
  stream.batches.open();
  begin_batch(stream);
  launches_changed(stream);
}

void SpaceSharedGpu::launches_changed(Stream& stream) {
  plan(stream);
  step();
}

void SpaceSharedGpu::note_first(Stream& stream) {
  if (stream.batches.size() > 1) return;
  streams_.note_first(stream);
  begin_batch(stream);
}

// The oldest batch could start now, if there is one and its input has been copied.
void SpaceSharedGpu::begin_batch(Stream& stream) {
  if (!repeats_.in_batch(stream.context) && !stream.batches.empty() && !stream.batches.front().gated)
    repeats_.begin_batch(stream.context);
}

// The oldest batch is done.
void SpaceSharedGpu::end_batch(Stream& stream) {
  repeats_.end_batch(stream.context);
  streams_.pop(stream);
  ++contexts_[stream.context].unseen;
  ++unseen_;
  begin_batch(stream);
}

void SpaceSharedGpu::plan(Stream& stream) {
  if (repeats_.on() && !repeats_.repeat(stream.context)) stop_repeating();
  streams_.plan(stream);
}

// Progress up to now. Whatever ends now ends in step().
void SpaceSharedGpu::catch_up() {
  if (streams_.catch_up()) schedule_next();
}

void SpaceSharedGpu::due() {
  event_ = {};
  catch_up();
  step();
}

// Handles this instant: blocks end, kernels become ready and start, turns begin and end.
void SpaceSharedGpu::step() {
  resumed_ = false;
  if (turns_.mode() == Mode::idle)
    end_idleness();
  else if (turns_.mode_ends() <= engine_.now())
    end_mode();
  if (repeats_.on()) end_repeats();
  if (turns_.runs() && !repeats_.on()) {
    for (const std::size_t context : streams_.end_kernels()) {
      end_batch(streams_[context]);
      plan(streams_[context]);
    }
    streams_.start_kernels(places());
    check_turn();
    const bool may = in_turns() || turns_.mode() == Mode::running;
    if (repeats_.steady(resumed_, may && !turns_.draining())) repeats_.begin(streams_.freeze());
  } else if (in_turns() && turns_.runs()) {
    check_turn();
  }
  note_waiting();
  refresh_states();
  schedule_next();
  // Do this last: a host that is woken at once calls back into this GPU.
  see_finished();
}

// The work that may start: all, unless the slice has expired.
Streams::Places SpaceSharedGpu::places() const {
  return turns_.draining() ? streams_.places_while_draining() : Streams::Places::all;
}

void SpaceSharedGpu::schedule_next() {
  Time next = turns_.mode_ends();
  if (repeats_.on())
    for (std::size_t context = 0; context < contexts_.size(); ++context)
      next = std::min(next, repeats_.ends(context));
  else
    next = std::min(next, streams_.next(places()));
  if (turns_.runs() && turns_.contended() && !turns_.draining()) next = std::min(next, turns_.ends());
  // After what hosts do at the same instant.
  engine_.set(event_, std::max(next, engine_.now()), sim::action<&SpaceSharedGpu::due>(*this),
              sim::Priority::late);
}

// Batches that end now end, and those that wait for them begin.
void SpaceSharedGpu::end_repeats() {
  for (std::size_t context = 0; context < contexts_.size(); ++context) {
    if (repeats_.ends(context) > engine_.now()) continue;
    repeats_.leave(context);
    end_batch(streams_[context]);
    if (repeats_.repeat(context)) continue;
    stop_repeating();
    return;
  }
  if (!repeats_.hold()) stop_repeating();
}

void SpaceSharedGpu::stop_repeating() {
  streams_.thaw(repeats_.stop());
}

void SpaceSharedGpu::set_rates(const Rates& rates) {
  if (!(rates.clock > 0 && rates.memory > 0)) throw std::invalid_argument("the GPU's rates must be positive");
  if (rates == rates_) return;
  catch_up();
  if (repeats_.on()) stop_repeating();
  repeats_.forget();
  rates_ = rates;
  streams_.set_rates(rates);
  step();
}

// A notified host may enqueue its next batch at once, which calls this function again.
void SpaceSharedGpu::see_finished() {
  if (telling_ || unseen_ == 0) return;
  telling_ = true;
  for (std::size_t i = 0; i < contexts_.size();) {
    Context& context = contexts_[i];
    // A host that is to see completions only after the turn waits for its end, if others wait for theirs.
    const bool later = !context.spec.refill_prolongs_turn && streams_[i].group == turns_.owner() &&
                       turns_.mode() != Mode::switching && turns_.contended();
    if (context.unseen == 0 || later) {
      ++i;
      continue;
    }
    if (context.spec.listener.batch_seen != nullptr)
      context.spec.listener.batch_seen(context.spec.listener.context);
    --context.unseen;
    --unseen_;
    i = 0;
  }
  telling_ = false;
}

// Contexts whose kernels run change their state only if the GPU changes its owner.
void SpaceSharedGpu::refresh_states() {
  const bool switching = turns_.mode() == Mode::switching;
  if (refreshed_for_ == turns_.owner() && refreshed_for_switch_ == switching) {
    // A listener may change the rates, which refreshes the states as well.
    for (std::size_t i = 0; i < streams_.loose().size(); ++i) refresh_state(streams_.loose()[i]);
  } else {
    refreshed_for_ = turns_.owner();
    refreshed_for_switch_ = switching;
    for (std::size_t context = 0; context < contexts_.size(); ++context) refresh_state(context);
  }
  streams_.settle();
}

void SpaceSharedGpu::refresh_state(std::size_t index) {
  Context& context = contexts_[index];
  if (!has_work(index))
    set_state(context, ContextState::empty);
  else if (streams_[index].group != turns_.owner())
    set_state(context, ContextState::waiting);
  else
    set_state(context, turns_.mode() == Mode::switching ? ContextState::switching_in : ContextState::owner);
}

void SpaceSharedGpu::set_state(Context& context, ContextState state) {
  if (context.state == state) return;
  if (context.spec.listener.state_changing != nullptr)
    context.spec.listener.state_changing(context.spec.listener.context, state);
  sim::TraceSink* const trace = engine_.trace();
  if (trace != nullptr && context.state == ContextState::owner) trace->end(context.track, engine_.now());
  if (trace != nullptr && state == ContextState::owner)
    trace->begin(context.track, engine_.now(), context.spec.name);
  context.state = state;
}

bool SpaceSharedGpu::has_work(std::size_t context) const {
  return repeats_.on() ? repeats_.in_batch(context) : streams_.has_work(context);
}

bool SpaceSharedGpu::group_has_work(std::size_t group) const {
  return std::ranges::any_of(streams_.contexts_of(group),
                             [&](std::size_t context) { return has_work(context); });
}

// Tells the turns which processes have work besides the owner.
void SpaceSharedGpu::note_waiting() {
  if (!in_turns() || turns_.mode() == Mode::idle) return;
  for (std::size_t group = 0; group < streams_.groups(); ++group)
    if (group != turns_.owner()) turns_.wait(group, group_has_work(group));
}

// The owner's mode is over.
void SpaceSharedGpu::end_mode() {
  note_waiting();
  switch (turns_.mode()) {
    case Mode::switching:
      turns_.end_switch();
      begin_turn(Duration::zero());
      return;
    case Mode::refilling:
      resume();
      return;
    case Mode::holding:
      end_turn(spec_.time_slicing.switch_when_idle, true);
      return;
    case Mode::idle:
    case Mode::running:
      return;
  }
}

// The GPU is given to whoever has work again, if that is somebody: rather to its owner than to others.
void SpaceSharedGpu::end_idleness() {
  const Duration wake = turns_.wake();
  if (turns_.slept() && repeats_.on()) {
    repeats_.distrust();
    stop_repeating();
  }
  std::size_t first = turns_.owner().value_or(0);
  if (!group_has_work(first)) first = 0;
  while (first < streams_.groups() && !group_has_work(first)) ++first;
  if (first < streams_.groups() && turns_.wake_up(first)) begin_turn(wake);
}

// Ends the owner's turn if its slice is over or none of its streams has work, and others have.
void SpaceSharedGpu::check_turn() {
  note_waiting();
  const std::size_t owner = *turns_.owner();
  if (!turns_.contended()) {
    if (streams_.has_batches(owner)) {
      turns_.resume();
      return;
    }
    note_could(owner, -1);
    turns_.rest();
    streams_.stand(owner);
    repeats_.stand(owner);
  } else if (group_has_work(owner) || repeats_.never_without_work(owner)) {
    turns_.resume();
    if (engine_.now() < turns_.ends()) return;
    if (streams_.drained()) {
      end_turn(repeats_.expiry(owner, streams_.expire(owner)), false);
      return;
    }
    if (!turns_.draining()) turns_.drain();
    streams_.dispatch(places());
  } else if (turns_.mode() != Mode::holding && !turns_.hold()) {
    end_turn(spec_.time_slicing.switch_when_idle, true);
  }
}

// The GPU goes to the next process with work (there is one).
void SpaceSharedGpu::end_turn(Duration cost, bool without_work) {
  const std::size_t owner = *turns_.owner();
  streams_.stand(owner);
  repeats_.end_turn(owner, without_work);
  note_could(owner, -1);
  repeats_.stand(owner);
  turns_.leave(cost);
}

// The owner, which has work, has the GPU. `wake`: until it is awake.
void SpaceSharedGpu::begin_turn(Duration wake) {
  const std::size_t owner = *turns_.owner();
  starts_from_ = engine_.now() + wake;
  turns_.begin(streams_.refill_due(owner));
  note_could(owner, 1);
  if (turns_.mode() == Mode::refilling)
    streams_.refill(owner);
  else
    resume();
}

// The owner's kernels run from now on.
void SpaceSharedGpu::resume() {
  turns_.resume();
  resumed_ = true;
  repeats_.run(*turns_.owner());
  streams_.resume(*turns_.owner(), std::max(starts_from_, engine_.now()));
}

// The process could execute kernels from now on, or no more (activity.hpp).
void SpaceSharedGpu::note_could(std::size_t group, int change) {
  if (!in_turns()) return;
  readings_.activities_of(streams_.contexts_of(group).front(),
                          [&](Activity& activity) { activity.change_could(change, engine_.now()); });
}

Running SpaceSharedGpu::so_far(std::size_t context) const {
  if (!repeats_.on()) return streams_.so_far(context);
  Running running = readings_[context].booked;
  const Running more = repeats_.pending(context);
  running.total += more.total;
  running.used += more.used;
  return running;
}

Duration SpaceSharedGpu::running_time(ContextId id) {
  catch_up();
  return so_far(id.index).total;
}

Duration SpaceSharedGpu::process_running_time(ContextId id) {
  catch_up();
  return readings_.active_in_process(id.index, engine_.now()).kernels;
}

Running SpaceSharedGpu::running(ContextId id) {
  catch_up();
  return readings_.share(id.index, so_far(id.index), engine_.now());
}

Usage SpaceSharedGpu::used() {
  catch_up();
  Usage sum;
  for (std::size_t context = 0; context < contexts_.size(); ++context) sum += so_far(context).used;
  const Resident seconds = readings_.active(engine_.now()).seconds;
  sum.sm_active = seconds.sms;
  sum.occupancy = seconds.warps;
  return sum;
}

Duration SpaceSharedGpu::busy() {
  catch_up();
  return readings_.active(engine_.now()).kernels;
}

}  // namespace jostle::gpu
