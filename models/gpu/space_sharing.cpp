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
      streams_(engine, spec_, space, loops) {}

ContextId SpaceSharedGpu::create_context(const ContextSpec& spec) {
  const std::size_t groups = streams_.groups();
  const std::size_t index = streams_.add(spec);
  if (streams_.groups() > groups) turns_.add(spec);
  Context& context = contexts_.emplace_back();
  context.spec = spec;
  if (sim::TraceSink* trace = engine_.trace()) context.track = trace->track("GPU: " + spec.name);
  return {static_cast<std::uint32_t>(index)};
}

// Progress up to now. Whatever ends now ends in step().
Streams& SpaceSharedGpu::up_to_now() {
  if (streams_.catch_up()) schedule_next();
  return streams_;
}

void SpaceSharedGpu::enqueue(ContextId id, const KernelSequence& kernels, bool gated) {
  Stream& stream = up_to_now()[id.index];
  stream.batches.enqueue(kernels, gated);
  launches_changed(stream);
}

void SpaceSharedGpu::begin_launches(ContextId id, const KernelSequence& kernels, const LaunchPlan& plan,
                                    bool gated) {
  Stream& stream = up_to_now()[id.index];
  stream.batches.begin_launches(kernels, plan, gated, engine_.now());
  streams_.note_batch(stream);
}

void SpaceSharedGpu::host_progress(ContextId id, const HostProgress& progress) {
  Stream& stream = up_to_now()[id.index];
  stream.batches.host_progress(progress);
  launches_changed(stream);
}

void SpaceSharedGpu::finish_launches(ContextId id) {
  Stream& stream = up_to_now()[id.index];
  stream.batches.finish_launches();
  if (stream.batches.size() == 1) streams_.note_launched(stream);
  launches_changed(stream);
}

void SpaceSharedGpu::open(ContextId id) {
  Stream& stream = up_to_now()[id.index];
  stream.batches.open();
  launches_changed(stream);
}

void SpaceSharedGpu::launches_changed(Stream& stream) {
  streams_.note_batch(stream);
  streams_.plan(stream);
  step();
}

void SpaceSharedGpu::due() {
  event_ = {};
  up_to_now();
  step();
}

// Handles this instant: blocks end, kernels become ready and start, turns begin and end.
void SpaceSharedGpu::step() {
  resumed_ = false;
  if (turns_.mode() == Mode::idle)
    end_idleness();
  else if (turns_.mode_ends() <= engine_.now())
    end_mode();
  streams_.step(places());
  if (turns_.runs()) {
    const bool repeats = streams_.repeats().on();
    if (in_turns() || !repeats) check_turn();
    const bool may = (in_turns() || turns_.mode() == Mode::running) && !turns_.draining();
    if (!repeats) streams_.repeat_if_steady(resumed_, may);
  }
  if (!turns_.runs()) note_waiting();  // else check_turn() has
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
  Time next = std::min(turns_.mode_ends(), streams_.next(places()));
  if (turns_.runs() && turns_.contended() && !turns_.draining()) next = std::min(next, turns_.ends());
  // After what hosts do at the same instant.
  engine_.set(event_, std::max(next, engine_.now()), sim::action<&SpaceSharedGpu::due>(*this),
              sim::Priority::late);
}

void SpaceSharedGpu::set_rates(const Rates& rates) {
  if (!(rates.clock > 0 && rates.memory > 0)) throw std::invalid_argument("the GPU's rates must be positive");
  if (rates == rates_) return;
  rates_ = rates;
  up_to_now().set_rates(rates);
  step();
}

// A notified host may enqueue its next batch at once, which calls this function again.
void SpaceSharedGpu::see_finished() {
  if (telling_ || streams_.unseen() == 0) return;
  telling_ = true;
  for (std::size_t i = 0; i < contexts_.size();) {
    const Context& context = contexts_[i];
    // A host that is to see completions only after the turn waits for its end, if others wait for theirs.
    const auto later = [&] {
      return !context.spec.follow_up_prolongs_turn && streams_[i].group == turns_.owner() &&
             turns_.mode() != Mode::switching && turns_.contended();
    };
    if (streams_[i].unseen == 0 || later()) {
      ++i;
      continue;
    }
    if (context.spec.listener.batch_seen != nullptr)
      context.spec.listener.batch_seen(context.spec.listener.context);
    streams_.see(streams_[i]);
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
  ContextState state = ContextState::empty;
  if (streams_.has_work(streams_[index])) {
    const bool owns = streams_[index].group == turns_.owner();
    const bool switching = turns_.mode() == Mode::switching;
    state = !owns ? ContextState::waiting : switching ? ContextState::switching_in : ContextState::owner;
  }
  if (context.state == state) return;
  if (context.spec.listener.state_changing != nullptr)
    context.spec.listener.state_changing(context.spec.listener.context, state);
  sim::TraceSink* const trace = engine_.trace();
  if (trace != nullptr && context.state == ContextState::owner) trace->end(context.track, engine_.now());
  if (trace != nullptr && state == ContextState::owner)
    trace->begin(context.track, engine_.now(), context.spec.name);
  context.state = state;
}

// Tells the turns which processes have work besides the owner.
void SpaceSharedGpu::note_waiting() {
  if (!in_turns() || turns_.mode() == Mode::idle) return;
  for (std::size_t group = 0; group < streams_.groups(); ++group)
    if (group != turns_.owner()) turns_.wait(group, streams_.group_has_work(group));
}

// The owner's mode is over.
void SpaceSharedGpu::end_mode() {
  note_waiting();
  switch (turns_.mode()) {
    case Mode::switching:
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
  if (turns_.slept()) streams_.distrust_repeats();
  if (streams_.groups() == 0) return;  // no process has a stream: all compute on the cores
  std::size_t first = turns_.owner().value_or(0);
  if (!streams_.group_has_work(first)) first = 0;
  while (first < streams_.groups() && !streams_.group_has_work(first)) ++first;
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
    turns_.rest();
    streams_.end_turn(owner);
  } else if (streams_.group_has_work(owner) || streams_.repeats().never_without_work(owner)) {
    turns_.resume();
    if (engine_.now() < turns_.ends()) return;
    if (streams_.drained()) {
      end_turn(streams_.expire(owner), false);
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
  streams_.note_turn(*turns_.owner(), without_work);
  streams_.end_turn(*turns_.owner());
  turns_.leave(cost);
}

// The owner, which has work, has the GPU. `wake`: until it is awake.
void SpaceSharedGpu::begin_turn(Duration wake) {
  turns_.begin(streams_.begin_turn(*turns_.owner(), wake));
  if (turns_.mode() == Mode::running) resume();
}

// The owner's kernels run from now on.
void SpaceSharedGpu::resume() {
  turns_.resume();
  resumed_ = true;
  streams_.resume(*turns_.owner());
}

}  // namespace jostle::gpu
