#include "models/gpu/repeats.hpp"

#include <bit>

#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

namespace {

// The part of the record between two fractions of it.
Running between(const BatchRecord& record, double from, double to) {
  Running part{.total = sim::work_in(record.ran, to) - sim::work_in(record.ran, from), .used = record.used};
  part.used *= to - from;
  return part;
}

}  // namespace

LoopKind Repeats::kind_of(std::size_t context) const {
  const Stream& stream = streams_[context];
  const Batch& batch = stream.batches.front();
  return {.kernels = batch.given,
          .priority = stream.spec.priority,
          .sms = stream.spec.sms,
          .kernel_by_kernel = batch.kernel_by_kernel};
}

// The time that records are on: where processes take turns, that in which the context's process has run.
Time Repeats::axis(std::size_t context) const {
  if (!in_turns()) return engine_.now();
  const Group& group = groups_[streams_[context].group];
  const Time at = Time::zero() + group.ran;
  return running_ == streams_[context].group ? at + (engine_.now() - group.runs_since) : at;
}

void Repeats::run(std::optional<std::size_t> group) {
  if (running_) groups_[*running_].ran += engine_.now() - groups_[*running_].runs_since;
  running_ = group;
  if (running_) groups_[*running_].runs_since = engine_.now();
  for (std::size_t context = 0; context < members_.size(); ++context) note_presence(context);
}

// Its batch counts, and is repeated, while its process runs.
void Repeats::note_presence(std::size_t context) {
  Member& member = members_[context];
  const bool present = member.in_batch && streams_[context].group == running_;
  if (present == member.present) return;
  member.present = present;
  if (!in_turns())
    activities_.change(streams_[context].process,
                       [&](Activity& activity) { activity.change_could(present ? 1 : -1, engine_.now()); });
  if (!member.repeat.on) return;
  if (present)
    proceed(member.repeat);
  else
    halt(context);
}

Duration Repeats::expiry(std::size_t index, Duration cost) {
  Group& group = groups_[index];
  if (on_) return group.expiries.empty() ? cost : group.expiries[group.next_expiry++ % group.expiries.size()];
  if (may_record() && loops_.records()) group.expiries.push_back(cost);
  return cost;
}

void Repeats::end_turn(std::size_t index, bool without_work) {
  if (on_) return;
  Group& group = groups_[index];
  ++group.turns;
  if (without_work) group.last_without_work = group.turns;
  if (!may_record()) return;
  note_recorded();
  for (const Stream& stream : streams_)
    if (stream.group == index) loops_.end_turn(stream.context);
}

void Repeats::begin_recording() {
  recorded_ = 0;
  activities_.change_all([&](Activity& activity) { activity.begin_recording(engine_.now()); });
  for (Member& member : members_) {
    member.batch_since = Time::never();
    member.ended_batch = false;
  }
  for (Group& group : groups_) {
    group.expiries.clear();
    group.next_expiry = 0;
    group.turns = group.last_without_work = 0;
  }
}

void Repeats::forget() {
  loops_.forget();
  begin_recording();
}

// One more batch or turn of all is in the records.
void Repeats::note_recorded() {
  if (std::has_single_bit(++recorded_))
    activities_.change_all([&](Activity& activity) { activity.note_doubled(engine_.now()); });
}

void Repeats::begin_batch(std::size_t context) {
  Member& member = members_[context];
  member.in_batch = true;
  member.batch_since = axis(context);
  member.paused = member.batch_since - member.last_batch;
  member.before = streams_[context].booked;
  note_presence(context);
}

void Repeats::end_batch(std::size_t context) {
  Member& member = members_[context];
  sim::contract(member.in_batch, "a batch that ends had begun");
  if (!on_ && may_record()) record(context);
  member.in_batch = false;
  member.last_batch = axis(context);
  member.ended_batch = true;
  note_presence(context);
}

// Where processes take turns, only graphs are repeated.
void Repeats::record(std::size_t context) {
  Member& member = members_[context];
  const Stream& stream = streams_[context];
  const bool kernel_by_kernel = stream.batches.front().kernel_by_kernel;
  if (kernel_by_kernel && in_turns() && member.batch_since != Time::never()) {
    forget();
    return;
  }
  if (member.batch_since == Time::never() || !loops_.records()) return;
  const Duration launched = kernel_by_kernel ? stream.launched_all - member.batch_since : Duration::zero();
  BatchRecord record{.time = axis(context) - member.batch_since,
                     .launched = std::max(launched, Duration::zero()),
                     .ran = stream.booked.total - member.before.total,
                     .pause = member.paused,
                     .used = stream.booked.used};
  record.used -= member.before.used;
  loops_.add(context, kind_of(context), record);
  if (!in_turns()) note_recorded();
}

// Its batches repeat, and the pause before the oldest, or since the last, is not too long for its loop.
bool Repeats::is_in_loop(std::size_t context) const {
  const Member& member = members_[context];
  const Batches& batches = streams_[context].batches;
  if (loops_.unknown(context)) return batches.empty();
  if (!loops_.may_pause(context, member.in_batch ? member.paused : axis(context) - member.last_batch))
    return false;
  return batches.empty() || loops_.repeats(context, kind_of(context));
}

bool Repeats::all_in_loops() const {
  return std::ranges::all_of(streams_, [&](const Stream& stream) { return is_in_loop(stream.context); });
}

bool Repeats::steady(bool turn_began, bool may) {
  if (!loops_.steady()) return false;
  const auto enough_turns = [&](const Group& group) {
    return group.expiries.empty() || group.turns >= loops_.precision().turns;
  };
  if (in_turns() && !(turn_began && std::ranges::all_of(groups_, enough_turns))) return false;
  for (std::size_t context = 0; context < members_.size(); ++context) {
    if (!loops_.unknown(context) || !members_[context].ended_batch) continue;
    forget();  // a context without a loop has ended a batch while the loops were recorded
    return false;
  }
  return may && all_in_loops() && loops_.begin_repeats();
}

void Repeats::begin(const std::vector<double>& done) {
  activities_.change_all([&](Activity& activity) { activity.begin_repeats(engine_.now()); });
  on_ = true;
  since_ = engine_.now();
  for (std::size_t context = 0; context < members_.size(); ++context) {
    const bool repeats = repeat(context, done[context]);
    sim::contract(repeats, "loops that begin to be repeated are like their records");
  }
}

bool Repeats::repeat(std::size_t context, double done) {
  Member& member = members_[context];
  if (!member.in_batch || member.repeat.on) return true;
  if (!is_in_loop(context)) {
    loops_.distrust();
    return false;
  }
  BatchRecord record = loops_.next(context, member.paused);
  if (!streams_[context].batches.launching())
    record.time -= sim::work_in(record.launched, loops_.following(context));
  // Where loops stay together, those that began apart end apart.
  if (done > 0 && in_turns() && member.batch_since < Time::never())
    done = std::min(sim::to_seconds(axis(context) - member.batch_since) / sim::to_seconds(record.time), 1.0);
  const double left = 1 - done;
  record.time = std::max(sim::work_in(record.time, left), Duration{1});
  record.ran = sim::work_in(record.ran, left);
  record.used *= left;
  member.repeat = {.on = true, .from = {}, .done_before = done, .record = record};
  if (member.present) proceed(member.repeat);
  return true;
}

void Repeats::proceed(Repeat& repeat) const {
  repeat.from = engine_.now();
  repeat.to = engine_.now() + repeat.record.time;
}

// The rest of the batch waits for the next turn of its process.
void Repeats::halt(std::size_t context) {
  set_rest(context, members_[context].repeat.to - engine_.now());
  members_[context].repeat.to = Time::never();
}

void Repeats::note_launched(std::size_t context) {
  Member& member = members_[context];
  Repeat& repeat = member.repeat;
  if (!repeat.on || member.batch_since == Time::never()) return;
  const Duration later = engine_.now() - member.batch_since - repeat.record.launched;
  set_rest(context, repeat.to - engine_.now() + sim::work_in(later, loops_.following(context)));
  repeat.record.ran = std::min(repeat.record.ran, repeat.record.time);
  proceed(repeat);
}

// The rest of the batch takes so long.
void Repeats::set_rest(std::size_t context, Duration rest) {
  book(context);
  Repeat& repeat = members_[context].repeat;
  const double left = 1 - repeat.counted;
  repeat.record.time = std::max(rest, Duration{1});
  repeat.record.ran = sim::work_in(repeat.record.ran, left);
  repeat.record.used *= left;
  repeat.done_before = 1 - (1 - repeat.done_before) * left;
  repeat.counted = 0;
}

// The fraction of the repeated batch that is done since `from`.
double Repeats::part_of(const Repeat& repeat) const {
  if (repeat.to == Time::never()) return repeat.counted;
  return std::clamp(sim::to_seconds(engine_.now() - repeat.from) / sim::to_seconds(repeat.to - repeat.from),
                    0.0, 1.0);
}

Running Repeats::pending(std::size_t context) const {
  const Repeat& repeat = members_[context].repeat;
  return between(repeat.record, repeat.counted, part_of(repeat));
}

void Repeats::book(std::size_t context) {
  Repeat& repeat = members_[context].repeat;
  const double part = part_of(repeat);
  streams_[context].book(between(repeat.record, repeat.counted, part), engine_.now());
  repeat.counted = part;
}

void Repeats::leave(std::size_t context) {
  book(context);
  members_[context].repeat = {};
}

bool Repeats::hold() {
  if (all_in_loops()) return true;
  loops_.distrust();
  return false;
}

std::vector<double> Repeats::stop() {
  std::vector<double> done(members_.size(), 0);
  for (std::size_t context = 0; context < members_.size(); ++context) {
    if (!members_[context].repeat.on) continue;
    book(context);
    const Repeat& repeat = members_[context].repeat;
    done[context] = repeat.done_before + (1 - repeat.done_before) * repeat.counted;
    members_[context].repeat = {};
  }
  on_ = false;
  repeated_ += engine_.now() - since_;
  activities_.change_all([&](Activity& activity) { activity.end_repeats(engine_.now()); });
  begin_recording();
  return done;
}

}  // namespace jostle::gpu
