// Turns of groups, the repetition of their batches, and readings.
#include <algorithm>
#include <numeric>
#include <utility>

#include "models/gpu/occupancy.hpp"
#include "models/gpu/streams.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

// The process could execute kernels from now on, or no more (activity.hpp).
void Streams::note_could(const Group& group, int change) {
  if (groups_.size() == 1) return;
  activities_.change(streams_[group.contexts.front()].process,
                     [&](Activity& activity) { activity.change_could(change, engine_.now()); });
}

Duration Streams::begin_turn(std::size_t index, Duration wake) {
  Group& group = groups_[index];
  starts_from_ = engine_.now() + wake;
  note_could(group, 1);
  const Duration refill = std::exchange(group.refill, Duration::zero());
  if (refill == Duration::zero() || repeats_.on()) return refill;  // its usage is in the records
  refills_ = true;
  for (const std::size_t context : group.contexts)
    set_executing(streams_[context], has_work(streams_[context]));
  return refill;
}

void Streams::resume(std::size_t index) {
  sim::contract(!running_, "kernels of one group run at a time");
  const Time now = engine_.now();
  Group& group = groups_[index];
  repeats_.run(index);
  running_ = index;
  starts_from_ = std::max(starts_from_, now);
  if (repeats_.on()) return;
  for (const std::size_t context : group.contexts) set_executing(streams_[context], false);
  refills_ = false;
  group.dispatcher.skip_until(now);
  for (const std::size_t context : group.contexts) {
    Stream& stream = streams_[context];
    set_executing(stream, stream.on_gpu && stream.began);
    plan(stream);
  }
}

void Streams::end_turn(std::size_t index) {
  sim::contract(running_ == index, "a group whose turn ends had run");
  for (const std::size_t context : groups_[index].contexts) {
    Stream& stream = streams_[context];
    set_executing(stream, false);
    if (stream.ready == Time::never()) continue;
    // The part of the front end that has passed is not repeated.
    stream.front_end = std::clamp(stream.ready - engine_.now(), Duration::zero(), stream.front_end);
    stream.ready = Time::never();
  }
  note_could(groups_[index], -1);
  running_.reset();
  repeats_.run({});
}

// The kernels that run are saved (expiry_cost() for one), and streams refill their caches at one time.
Duration Streams::expire(std::size_t index) {
  Group& group = groups_[index];
  const Duration least = expiry_cost(spec_, nullptr);
  Duration cost = least;
  for (const std::size_t context : group.contexts) {
    const Stream& stream = streams_[context];
    if (!stream.batches.empty())
      group.refill = std::max(group.refill, cache_refill_after_expiry(spec_, *stream.batches.front().given));
    if (stream.executing && group.dispatcher.fraction(stream.number) > 0)
      cost += expiry_cost(spec_, &stream.timed->kernel) - least;
  }
  return repeats_.expiry(index, cost);
}

bool Streams::drained() const {
  const space::Dispatcher& dispatcher = groups_[*running_].dispatcher;
  switch (spec_.time_slicing.granularity) {
    case PreemptionGranularity::instruction:
      return true;
    case PreemptionGranularity::thread_block:
      return !dispatcher.has_resident_blocks();
    case PreemptionGranularity::kernel:
      return dispatcher.running() == 0;
  }
  return true;
}

Streams::Places Streams::places_while_draining() const {
  return spec_.time_slicing.granularity == PreemptionGranularity::kernel ? Places::running : Places::none;
}

// Batches that end now end, and those that wait for them begin.
void Streams::end_repeats() {
  for (Stream& stream : streams_) {
    if (repeats_.ends(stream.context) > engine_.now() || stream.batches.launching()) continue;
    repeats_.leave(stream.context);
    end_batch(stream);
    if (repeats_.repeat(stream.context)) continue;
    stop_repeating();
    return;
  }
  if (!repeats_.hold()) stop_repeating();
}

void Streams::distrust_repeats() {
  if (!repeats_.on()) return;
  repeats_.distrust();
  stop_repeating();
}

// Kernels are not simulated from now on. Returns the fraction of each context's oldest batch that is done.
std::vector<double> Streams::freeze() {
  std::vector<double> done(streams_.size(), 0);
  for (Stream& stream : streams_) {
    if (!repeats_.in_batch(stream.context)) continue;
    const KernelSequence& kernels = *stream.batches.front().given;
    Duration passed = stream.kernel > 0 ? kernels.finish[stream.kernel - 1] : Duration::zero();
    if (stream.on_gpu)
      passed += sim::work_in(kernels.kernels[stream.kernel].duration,
                             groups_[stream.group].dispatcher.fraction(stream.number));
    done[stream.context] = sim::to_seconds(passed) / sim::to_seconds(kernels.total());
    set_executing(stream, false);
    stream.on_gpu = false;
    stream.launched = stream.ready = Time::never();
  }
  loose_.resize(streams_.size());
  std::iota(loose_.begin(), loose_.end(), std::size_t{0});
  return done;
}

// From now on kernels are simulated again, each batch's from the one that it had come to.
void Streams::stop_repeating() {
  const std::vector<double> done = repeats_.stop();
  const Time now = engine_.now();
  for (Group& group : groups_) {
    group.dispatcher = space::Dispatcher(spec_, group.longer);
    for (const std::size_t context : group.contexts) group.dispatcher.add_stream(streams_[context].spec);
    group.dispatcher.skip_until(now);
  }
  for (Stream& stream : streams_) {
    stream.since = now;
    stream.began.reset();
    if (stream.batches.empty()) continue;
    const KernelSequence& kernels = *stream.batches.front().given;
    const auto last = static_cast<std::uint32_t>(kernels.kernels.size()) - 1;
    const Duration passed = sim::work_in(kernels.total(), done[stream.context]);
    stream.kernel = std::min(underway(kernels, passed).kernel, last);
    stream.wait_for_kernel();
    plan(stream);
  }
}

// From `at` on the stream executes, or not, with what is `resident`. It is booked up to then.
void Streams::execute(Stream& stream, bool executing, Resident resident, Time at) {
  // A stream that is limited to some of the SMs has no more than these.
  const double most = static_cast<double>(stream.spec.sms) / std::max(spec_.sm_count, 1);
  resident = {.sms = std::min(resident.sms, most), .warps = std::min(resident.warps, most)};
  const int more = static_cast<int>(executing) - static_cast<int>(stream.executing);
  activities_.change(stream.process, [&](Activity& activity) {
    activity.change_kernels(more, stream.resident, resident, at);
  });
  stream.executing = executing;
  stream.resident = resident;
}

void Streams::set_executing(Stream& stream, bool executing) {
  if (stream.executing == executing) return;
  count(stream);
  execute(stream, executing, executing ? resident_of(stream.kernel_in_hand()) : Resident{}, engine_.now());
}

Streams::Pending Streams::pending(const Stream& stream) const {
  const Duration passed = stream.executing ? engine_.now() - stream.since : Duration::zero();
  Pending more{.running = {.total = passed, .used = {}}, .counted = stream.counted};
  if (refills_ && passed > Duration::zero()) {
    more.running.used = usage_of_refill(stream.kernel_in_hand(), passed);
  } else if (stream.on_gpu && stream.began) {
    const space::Dispatcher& dispatcher = groups_[stream.group].dispatcher;
    const double fraction = dispatcher.has_kernel(stream.number) ? dispatcher.fraction(stream.number) : 1;
    const double part = std::max(fraction - stream.counted, 0.0);
    more.counted += part;
    more.running.used = used_in(*stream.timed, passed, part);
  }
  return more;
}

// Books what the stream has used up to now.
void Streams::count(Stream& stream) {
  if (!stream.executing) {
    stream.since = engine_.now();
    return;
  }
  const Pending more = pending(stream);
  stream.book(more.running, engine_.now());
  stream.counted = more.counted;
}

Running Streams::so_far(std::size_t context) const {
  const Stream& stream = streams_[context];
  const Running more = repeats_.on() ? repeats_.pending(context) : pending(stream).running;
  sim::contract(more.total >= Duration::zero(), "the time of a context never falls");
  Running running = stream.booked;
  running.total += more.total;
  running.used += more.used;
  return running;
}

// SMs have the kernels of several streams: each stream of a process gets an equal part of what the process
// has.
Running Streams::running(std::size_t context) const {
  Running running = so_far(context);
  const Resident seconds = active_in_process(context).seconds;
  const double contexts = activities_.contexts_of(streams_[context].process);
  running.used.sm_active = seconds.sms / contexts;
  running.used.occupancy = seconds.warps / contexts;
  return running;
}

Usage Streams::used() const {
  Usage sum;
  for (std::size_t context = 0; context < streams_.size(); ++context) sum += so_far(context).used;
  const Resident seconds = active().seconds;
  sum.sm_active = seconds.sms;
  sum.occupancy = seconds.warps;
  return sum;
}

}  // namespace jostle::gpu
