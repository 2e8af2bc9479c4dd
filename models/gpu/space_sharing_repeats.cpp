// Batches of steady loops are repeated without their kernels (steady_loops.hpp).
#include <algorithm>
#include <bit>
#include <numeric>

#include "models/gpu/advance.hpp"
#include "models/gpu/space_sharing.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

LoopKind SpaceSharedGpu::kind_of(const Context& context) const {
  return {.kernels = context.batches.front().given, .priority = context.spec.priority, .sms = context.sms};
}

// The time that records are on: where processes take turns, that in which the context's process has run.
Time SpaceSharedGpu::axis(const Context& context) const {
  if (!in_turns()) return engine_.now();
  const Group& group = groups_[context.group];
  Time at = Time::zero() + group.ran;
  if (context.group == owner_ && owner_runs()) at += engine_.now() - group.runs_since;
  return at;
}

void SpaceSharedGpu::begin_recording() {
  recorded_ = 0;
  each_activity([&](Activity& activity) { activity.begin_recording(engine_.now()); });
  for (Context& context : contexts_) {
    context.batch_since = Time::never();
    context.ended_batch = false;
  }
  for (Group& group : groups_) {
    group.expiries.clear();
    group.next_expiry = 0;
    group.turns = group.last_without_work = 0;
  }
}

// One more batch or turn of all is in the records.
void SpaceSharedGpu::note_recorded() {
  if (std::has_single_bit(++recorded_))
    each_activity([&](Activity& activity) { activity.note_doubled(engine_.now()); });
}

// Streams that compete for the GPU keep each other from pausing together. Repeated batches know nothing of
// that, so a process whose turns never ended for want of work, in the later half of the records, does not end
// them so.
bool SpaceSharedGpu::never_without_work(const Group& group) const {
  return repeating_ && group.last_without_work <= group.turns / 2;
}

// Its batch counts, and is repeated, while its process runs.
void SpaceSharedGpu::note_presence(Context& context) {
  const bool present = context.in_batch && context.group == owner_ && owner_runs();
  if (present == context.present) return;
  context.present = present;
  if (!in_turns())
    activities_of(context,
                  [&](Activity& activity) { activity.change_could(present ? 1 : -1, engine_.now()); });
  if (!context.repeat.on) return;
  if (present)
    run_repeat(context);
  else
    halt_repeat(context);
}

bool SpaceSharedGpu::may_record() const {
  if (!may_repeat_ || observer_.finished != nullptr) return false;
  return !in_turns() || spec_.time_slicing.granularity == PreemptionGranularity::instruction;
}

// Only graphs, which are launched as a whole, are repeated: their times do not depend on the pace of a host.
void SpaceSharedGpu::record_batch(Context& context) {
  if (!may_record()) return;
  if (context.batches.front().kernel_by_kernel) {
    loops_.forget();
    begin_recording();
    return;
  }
  if (context.batch_since == Time::never() || !loops_.records()) return;
  count(context);
  BatchRecord record{.time = axis(context) - context.batch_since,
                     .ran = context.ran - context.ran_before,
                     .used = context.used};
  record.used -= context.used_before;
  loops_.add(context.id.index, kind_of(context), record, context.paused);
  if (!in_turns()) note_recorded();
}

// Its batches repeat, and the pause before the oldest, or since the last, is not too long for its loop.
bool SpaceSharedGpu::is_in_loop(const Context& context) const {
  const std::size_t index = context.id.index;
  if (loops_.unknown(index)) return context.batches.empty();
  const Duration pause = context.in_batch ? context.paused : axis(context) - context.last_batch;
  if (!loops_.may_pause(index, pause)) return false;
  return context.batches.empty() ||
         (!context.batches.front().kernel_by_kernel && loops_.repeats(index, kind_of(context)));
}

bool SpaceSharedGpu::can_repeat() const {
  return (in_turns() || mode_ == Mode::running) && !draining_ &&
         std::ranges::all_of(contexts_, [&](const Context& context) { return is_in_loop(context); });
}

// A context without a loop has ended a batch while the loops were recorded.
bool SpaceSharedGpu::others_ran() const {
  return std::ranges::any_of(contexts_, [&](const Context& context) {
    return loops_.unknown(context.id.index) && context.ended_batch;
  });
}

bool SpaceSharedGpu::enough_turns() const {
  return std::ranges::all_of(groups_, [&](const Group& group) {
    return group.expiries.empty() || group.turns >= loops_.precision().turns;
  });
}

void SpaceSharedGpu::begin_repeating_if_steady() {
  if (!loops_.steady() || (in_turns() && !(resumed_ && enough_turns()))) return;
  if (others_ran()) {
    loops_.forget();
    begin_recording();
  } else if (can_repeat() && loops_.begin_repeats()) {
    begin_repeating();
  }
}

void SpaceSharedGpu::begin_repeating() {
  const Time now = engine_.now();
  std::vector<double> done(contexts_.size(), 0);
  for (Context& context : contexts_) {
    if (!context.in_batch) continue;
    const KernelSequence& kernels = *context.batches.front().given;
    Duration passed = context.kernel > 0 ? kernels.finish[context.kernel - 1] : Duration::zero();
    if (context.on_gpu)
      passed += sim::work_in(kernels.kernels[context.kernel].duration,
                             groups_[context.group].dispatcher.fraction(context.stream));
    done[context.id.index] = sim::to_seconds(passed) / sim::to_seconds(kernels.total());
    set_executing(context, false);
    context.on_gpu = false;
    context.launched = context.ready = Time::never();
  }
  each_activity([&](Activity& activity) { activity.begin_repeats(now); });
  repeating_ = true;
  repeats_since_ = now;
  loose_.resize(contexts_.size());
  std::iota(loose_.begin(), loose_.end(), std::size_t{0});
  for (Context& context : contexts_) repeat(context, done[context.id.index]);
}

// The oldest batch, of which the fraction `done` is done, takes the time of one that was recorded.
void SpaceSharedGpu::repeat(Context& context, double done) {
  if (!context.in_batch || context.repeat.on) return;
  if (!is_in_loop(context)) {
    loops_.distrust();
    stop_repeating();
    return;
  }
  BatchRecord record = loops_.next(context.id.index);
  // Where loops stay together, those that began apart end apart.
  if (done > 0 && in_turns() && context.batch_since < Time::never())
    done = std::min(sim::to_seconds(axis(context) - context.batch_since) / sim::to_seconds(record.time), 1.0);
  const double left = 1 - done;
  record.time = std::max(sim::work_in(record.time, left), Duration{1});
  record.ran = sim::work_in(record.ran, left);
  record.used *= left;
  context.repeat = {.on = true, .from = {}, .done_before = done, .record = record};
  if (context.present) run_repeat(context);
}

void SpaceSharedGpu::run_repeat(Context& context) {
  context.repeat.from = engine_.now();
  context.repeat.to = engine_.now() + context.repeat.record.time;
}

// The rest of the batch waits for the next turn of its process.
void SpaceSharedGpu::halt_repeat(Context& context) {
  count(context);
  Repeat& repeat = context.repeat;
  const double left = 1 - repeat.counted;
  repeat.record.time = std::max(repeat.to - engine_.now(), Duration{1});
  repeat.record.ran = sim::work_in(repeat.record.ran, left);
  repeat.record.used *= left;
  repeat.done_before = 1 - (1 - repeat.done_before) * left;
  repeat.counted = 0;
  repeat.to = Time::never();
}

SpaceSharedGpu::Pending SpaceSharedGpu::pending_repeat(const Repeat& repeat) const {
  if (repeat.to == Time::never()) return {.running = {}, .counted = repeat.counted};
  const double part = std::clamp(
      sim::to_seconds(engine_.now() - repeat.from) / sim::to_seconds(repeat.to - repeat.from), 0.0, 1.0);
  Pending more{.running = {.total = sim::work_in(repeat.record.ran, part) -
                                    sim::work_in(repeat.record.ran, repeat.counted),
                           .used = repeat.record.used},
               .counted = part};
  more.running.used *= part - repeat.counted;
  return more;
}

void SpaceSharedGpu::leave_repeats(Context& context) {
  count(context);
  context.repeat = {};
}

// Batches that end now end, and those that wait for them begin.
void SpaceSharedGpu::end_repeats() {
  for (Context& context : contexts_) {
    if (context.repeat.to > engine_.now()) continue;
    leave_repeats(context);
    end_batch(context);
    repeat(context, 0);
    if (!repeating_) return;
  }
  if (!can_repeat()) {
    loops_.distrust();
    stop_repeating();
  }
}

// From now on kernels are simulated again, each batch's from the one that it had come to.
void SpaceSharedGpu::stop_repeating() {
  const Time now = engine_.now();
  std::vector<double> done(contexts_.size(), 0);
  for (Context& context : contexts_) {
    if (!context.repeat.on) continue;
    const double done_before = context.repeat.done_before;
    count(context);
    done[context.id.index] = done_before + (1 - done_before) * context.repeat.counted;
    leave_repeats(context);
  }
  repeating_ = false;
  repeated_ += now - repeats_since_;
  each_activity([&](Activity& activity) { activity.end_repeats(now); });
  begin_recording();
  for (Group& group : groups_) {
    group.dispatcher = space::Dispatcher(spec_, group.longer);
    for (const std::size_t index : group.contexts) group.dispatcher.add_stream(contexts_[index].stream_spec);
    group.dispatcher.skip_until(now);
  }
  for (Context& context : contexts_) {
    context.counted_at = now;
    context.began.reset();
    if (context.batches.empty()) continue;
    const KernelSequence& kernels = *context.batches.front().given;
    const auto last = static_cast<std::uint32_t>(kernels.kernels.size()) - 1;
    context.kernel =
        std::min(underway(kernels, sim::work_in(kernels.total(), done[context.id.index])).kernel, last);
    next_kernel(context);
    plan_next(context);
  }
}

}  // namespace jostle::gpu
