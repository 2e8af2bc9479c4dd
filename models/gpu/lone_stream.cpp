// The one context that has batches: its kernels, looked at when something happens and not one by one.
#include <algorithm>

#include "models/gpu/streams.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

// Kernels that an observer sees are simulated one by one, as are those that the host still launches, and
// those of a client that may not use all SMs, because they slow themselves down.
std::optional<std::size_t> Streams::alone() const {
  if (repeats_.on() || groups_.size() > 1 || !running_ || observer_.finished != nullptr) return {};
  const Group& group = groups_[*running_];
  const auto number = group.dispatcher.only_running();
  if (!number) return {};
  const Stream& stream = streams_[group.contexts[static_cast<std::size_t>(*number)]];
  const bool may = stream.began && stream.spec.sms >= spec_.sm_count && !stream.batches.launching() &&
                   stream.kernel + 1 < stream.batches.front().given->kernels.size();
  return may ? std::optional(stream.context) : std::nullopt;
}

// From the end of its kernel to that of the last one.
Duration Streams::rest_alone(const Stream& stream) {
  const AloneKernel& kernel =
      stream.kernels->alone(spec_, rates_, groups_[stream.group].longer)[stream.kernel];
  if (!stream.batches.front().kernel_by_kernel) return kernel.gaps + kernel.rest;
  const auto left = stream.batches.front().given->kernels.size() - 1 - stream.kernel;
  return stream.per_launch * static_cast<std::int64_t>(left) + kernel.rest;
}

// Finds the kernel that runs now, or the gap before it.
bool Streams::run_alone() {
  const auto lone = alone();
  if (!lone) return false;
  Stream& stream = streams_[*lone];
  space::Dispatcher& dispatcher = groups_[stream.group].dispatcher;
  const Time now = engine_.now();
  const Time first_end = dispatcher.next();
  if (first_end >= now) return false;
  dispatcher.run_until(first_end);
  done_.clear();
  dispatcher.end(done_);
  sim::contract(done_.size() == 1, "the kernel that runs alone is over");
  const Duration passed = first_end - stream.since;
  stream.book({.total = passed, .used = used_in(*stream.timed, passed, std::max(1 - stream.counted, 0.0))},
              first_end);
  execute(stream, false, {}, first_end);
  const Time start = pass_over(stream, first_end);
  stream.timed = &stream.kernels->at(stream.kernel, spec_, rates_);
  stream.counted = 0;
  stream.on_gpu = start <= now;
  if (!stream.on_gpu) {
    stream.since = now;
    stream.began.reset();
    loose_.insert(std::ranges::lower_bound(loose_, stream.context), stream.context);
    stream.wait_for_kernel();
    if (stream.batches.front().kernel_by_kernel) stream.front_end = start - now;
    plan(stream);
    return true;
  }
  stream.since = start;
  execute(stream, true, resident_of(stream.timed->kernel), start);
  dispatcher.run_until(start);
  dispatcher.ready(stream.number, stream.timed->work);
  dispatcher.dispatch();
  while (dispatcher.next() < now) {  // a wave of it is over
    dispatcher.run_until(dispatcher.next());
    done_.clear();
    dispatcher.end(done_);
    sim::contract(done_.empty(), "the kernel that runs alone is not over");
    dispatcher.dispatch();
  }
  stream.began = start;
  return true;
}

// Kernels come and go until now, after one that ended at `end`. Returns the start of the next.
Time Streams::pass_over(Stream& stream, Time end) {
  Group& group = groups_[stream.group];
  const std::vector<AloneKernel>& kernels = stream.kernels->alone(spec_, rates_, group.longer);
  const bool by_itself = stream.batches.front().kernel_by_kernel;
  while (true) {
    const AloneKernel& next = kernels[++stream.kernel];
    const Time start = end + (by_itself ? stream.per_launch : next.gap);
    if (stream.kernel + 1 == kernels.size() || start + next.takes > engine_.now()) {
      stream.free_since = end;
      return start;
    }
    group.dispatcher.pass_over(stream.number, stream.kernels->at(stream.kernel, spec_, rates_).work);
    end = start + next.takes;
    stream.book({.total = next.takes, .used = next.used}, end);
    activities_.change(stream.process,
                       [&](Activity& activity) { activity.pass_over(next.takes, next.resident); });
  }
}

}  // namespace jostle::gpu
