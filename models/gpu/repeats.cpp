#include "models/gpu/repeats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

void Repeats::add(const Member& member) {
  loops_of_.push_back({.member = member, .paused = {}, .before = {}, .last_batch = {}, .repeat = {}});
  groups_.resize(std::max(groups_.size(), member.group + 1));
}

LoopKind Repeats::kind_of(const Loop& loop) const {
  return {.kernels = loop.member.batches->front().given,
          .priority = loop.member.priority,
          .sms = loop.member.sms};
}

// The time that records are on: where processes take turns, that in which the context's process has run.
Time Repeats::axis(const Loop& loop) const {
  if (!in_turns()) return engine_.now();
  const Group& group = groups_[loop.member.group];
  const Time at = Time::zero() + group.ran;
  return running_ == loop.member.group ? at + (engine_.now() - group.runs_since) : at;
}

void Repeats::run(std::size_t group) {
  sim::contract(!running_, "the kernels of one process run at a time");
  running_ = group;
  groups_[group].runs_since = engine_.now();
  for (std::size_t context = 0; context < loops_of_.size(); ++context)
    if (loops_of_[context].member.group == group) note_presence(context);
}

void Repeats::stand(std::size_t group) {
  sim::contract(running_ == group, "a process whose kernels stand still had run");
  running_.reset();
  groups_[group].ran += engine_.now() - groups_[group].runs_since;
  for (std::size_t context = 0; context < loops_of_.size(); ++context)
    if (loops_of_[context].member.group == group) note_presence(context);
}

// Its batch counts, and is repeated, while its process runs.
void Repeats::note_presence(std::size_t context) {
  Loop& loop = loops_of_[context];
  const bool present = loop.in_batch && loop.member.group == running_;
  if (present == loop.present) return;
  loop.present = present;
  if (!in_turns())
    readings_.activities_of(
        context, [&](Activity& activity) { activity.change_could(present ? 1 : -1, engine_.now()); });
  if (!loop.repeat.on) return;
  if (present)
    proceed(loop.repeat);
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
  for (std::size_t context = 0; context < loops_of_.size(); ++context)
    if (loops_of_[context].member.group == index) loops_.end_turn(context);
}

void Repeats::begin_recording() {
  recorded_ = 0;
  readings_.each_activity([&](Activity& activity) { activity.begin_recording(engine_.now()); });
  for (Loop& loop : loops_of_) {
    loop.batch_since = Time::never();
    loop.ended_batch = false;
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
    readings_.each_activity([&](Activity& activity) { activity.note_doubled(engine_.now()); });
}

void Repeats::begin_batch(std::size_t context) {
  Loop& loop = loops_of_[context];
  loop.in_batch = true;
  loop.batch_since = axis(loop);
  loop.paused = loop.batch_since - loop.last_batch;
  loop.before = readings_[context].booked;
  note_presence(context);
}

void Repeats::end_batch(std::size_t context) {
  Loop& loop = loops_of_[context];
  sim::contract(loop.in_batch, "a batch that ends had begun");
  if (!on_ && may_record()) record(context);
  loop.in_batch = false;
  loop.last_batch = axis(loop);
  loop.ended_batch = true;
  note_presence(context);
}

// Only graphs, which are launched as a whole, are repeated: their times do not depend on the pace of a host.
void Repeats::record(std::size_t context) {
  const Loop& loop = loops_of_[context];
  if (loop.member.batches->front().kernel_by_kernel) {
    forget();
    return;
  }
  if (loop.batch_since == Time::never() || !loops_.records()) return;
  const Running& booked = readings_[context].booked;
  BatchRecord record{
      .time = axis(loop) - loop.batch_since, .ran = booked.total - loop.before.total, .used = booked.used};
  record.used -= loop.before.used;
  loops_.add(context, kind_of(loop), record, loop.paused);
  if (!in_turns()) note_recorded();
}

// Its batches repeat, and the pause before the oldest, or since the last, is not too long for its loop.
bool Repeats::is_in_loop(std::size_t context) const {
  const Loop& loop = loops_of_[context];
  const Batches& batches = *loop.member.batches;
  if (loops_.unknown(context)) return batches.empty();
  const Duration pause = loop.in_batch ? loop.paused : axis(loop) - loop.last_batch;
  if (!loops_.may_pause(context, pause)) return false;
  return batches.empty() || (!batches.front().kernel_by_kernel && loops_.repeats(context, kind_of(loop)));
}

bool Repeats::all_in_loops() const {
  for (std::size_t context = 0; context < loops_of_.size(); ++context)
    if (!is_in_loop(context)) return false;
  return true;
}

// A context without a loop has ended a batch while the loops were recorded.
bool Repeats::others_ran() const {
  for (std::size_t context = 0; context < loops_of_.size(); ++context)
    if (loops_.unknown(context) && loops_of_[context].ended_batch) return true;
  return false;
}

bool Repeats::enough_turns() const {
  return std::ranges::all_of(groups_, [&](const Group& group) {
    return group.expiries.empty() || group.turns >= loops_.precision().turns;
  });
}

bool Repeats::steady(bool turn_began, bool may) {
  if (!loops_.steady() || (in_turns() && !(turn_began && enough_turns()))) return false;
  if (others_ran()) {
    forget();
    return false;
  }
  return may && all_in_loops() && loops_.begin_repeats();
}

void Repeats::begin(const std::vector<double>& done) {
  readings_.each_activity([&](Activity& activity) { activity.begin_repeats(engine_.now()); });
  on_ = true;
  since_ = engine_.now();
  for (std::size_t context = 0; context < loops_of_.size(); ++context) {
    const bool repeats = repeat(context, done[context]);
    sim::contract(repeats, "loops that begin to be repeated are like their records");
  }
}

bool Repeats::repeat(std::size_t context, double done) {
  Loop& loop = loops_of_[context];
  if (!loop.in_batch || loop.repeat.on) return true;
  if (!is_in_loop(context)) {
    loops_.distrust();
    return false;
  }
  BatchRecord record = loops_.next(context);
  // Where loops stay together, those that began apart end apart.
  if (done > 0 && in_turns() && loop.batch_since < Time::never())
    done = std::min(sim::to_seconds(axis(loop) - loop.batch_since) / sim::to_seconds(record.time), 1.0);
  const double left = 1 - done;
  record.time = std::max(sim::work_in(record.time, left), Duration{1});
  record.ran = sim::work_in(record.ran, left);
  record.used *= left;
  loop.repeat = {.on = true, .from = {}, .done_before = done, .record = record};
  if (loop.present) proceed(loop.repeat);
  return true;
}

void Repeats::proceed(Repeat& repeat) const {
  repeat.from = engine_.now();
  repeat.to = engine_.now() + repeat.record.time;
}

// The rest of the batch waits for the next turn of its process.
void Repeats::halt(std::size_t context) {
  book(context);
  Repeat& repeat = loops_of_[context].repeat;
  const double left = 1 - repeat.counted;
  repeat.record.time = std::max(repeat.to - engine_.now(), Duration{1});
  repeat.record.ran = sim::work_in(repeat.record.ran, left);
  repeat.record.used *= left;
  repeat.done_before = 1 - (1 - repeat.done_before) * left;
  repeat.counted = 0;
  repeat.to = Time::never();
}

// The fraction of the repeated batch that is done since `from`.
double Repeats::part_of(const Repeat& repeat) const {
  if (repeat.to == Time::never()) return repeat.counted;
  return std::clamp(sim::to_seconds(engine_.now() - repeat.from) / sim::to_seconds(repeat.to - repeat.from),
                    0.0, 1.0);
}

Running Repeats::pending(std::size_t context) const {
  const Repeat& repeat = loops_of_[context].repeat;
  const double part = part_of(repeat);
  Running more{
      .total = sim::work_in(repeat.record.ran, part) - sim::work_in(repeat.record.ran, repeat.counted),
      .used = repeat.record.used};
  more.used *= part - repeat.counted;
  return more;
}

void Repeats::book(std::size_t context) {
  Repeat& repeat = loops_of_[context].repeat;
  readings_[context].book(pending(context), engine_.now());
  repeat.counted = part_of(repeat);
}

void Repeats::leave(std::size_t context) {
  book(context);
  loops_of_[context].repeat = {};
}

bool Repeats::hold() {
  if (all_in_loops()) return true;
  loops_.distrust();
  return false;
}

std::vector<double> Repeats::stop() {
  std::vector<double> done(loops_of_.size(), 0);
  for (std::size_t context = 0; context < loops_of_.size(); ++context) {
    if (!loops_of_[context].repeat.on) continue;
    book(context);
    const Repeat& repeat = loops_of_[context].repeat;
    done[context] = repeat.done_before + (1 - repeat.done_before) * repeat.counted;
    loops_of_[context].repeat = {};
  }
  on_ = false;
  repeated_ += engine_.now() - since_;
  readings_.each_activity([&](Activity& activity) { activity.end_repeats(engine_.now()); });
  begin_recording();
  return done;
}

}  // namespace jostle::gpu
