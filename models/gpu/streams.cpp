#include "models/gpu/streams.hpp"

#include <algorithm>
#include <utility>

#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

Streams::Streams(const sim::Engine& engine, const Spec& spec, SpaceOf space,
                 std::optional<LoopPrecision> loops)
    : engine_(engine),
      spec_(spec),
      space_(space),
      activities_(space),
      repeats_(engine, streams_, activities_, loops,
               spec.time_slicing.granularity == PreemptionGranularity::instruction) {}

void Streams::set_observer(const KernelObserver& observer) {
  observer_ = observer;
  if (observer.finished != nullptr) repeats_.forbid();
}

std::size_t Streams::group_of(const ContextSpec& spec) {
  const auto same = std::ranges::find_if(groups_, [&](const Group& group) {
    return space_ == SpaceOf::all_processes || (spec.group && group.id == spec.group);
  });
  if (same != groups_.end()) return static_cast<std::size_t>(same - groups_.begin());
  space::Longer longer;
  if (space_ == SpaceOf::all_processes)
    longer = {.each = spec_.space_sharing.mps_kernel, .cold_code = spec_.space_sharing.mps_cold_code};
  groups_.push_back({.longer = longer,
                     .dispatcher = space::Dispatcher(spec_, longer),
                     .contexts = {},
                     .id = spec.group,
                     .refill = {}});
  return groups_.size() - 1;
}

// The contexts of a process that are limited to the same SMs are one client of the dispatcher.
std::size_t Streams::client_of(const Client& client) {
  const auto same = std::ranges::find(clients_, client);
  const auto index = static_cast<std::size_t>(same - clients_.begin());
  if (same == clients_.end()) clients_.push_back(client);
  return index;
}

std::size_t Streams::add(const ContextSpec& spec) {
  Stream stream;
  stream.context = streams_.size();
  stream.group = group_of(spec);
  stream.process = activities_.add(spec.group);
  stream.per_launch = spec.per_launch;
  Group& group = groups_[stream.group];
  const auto before = std::ranges::count_if(
      group.contexts, [&](std::size_t other) { return streams_[other].process == stream.process; });
  const int connections = std::max(spec_.space_sharing.connections, 1);
  const std::optional<SmPartition>& partition = spec.partition;
  stream.spec = {
      .priority = spec.priority,
      .connection = static_cast<int>(stream.process) * connections + static_cast<int>(before) % connections,
      .client = client_of(
          {.process = stream.process, .partition = partition ? std::optional(partition->id) : std::nullopt}),
      .sms = partition ? std::clamp(partition->sms, 1, std::max(spec_.sm_count, 1))
                       : space::sms_of_share(spec_, spec.mps_threads),
      .functions = spec.functions};
  stream.number = group.dispatcher.add_stream(stream.spec);
  group.contexts.push_back(stream.context);
  loose_.push_back(stream.context);
  repeats_.add(stream.group);
  streams_.push_back(std::move(stream));
  return streams_.size() - 1;
}

void Streams::settle() {
  std::erase_if(loose_,
                [&](std::size_t context) { return streams_[context].on_gpu && streams_[context].began; });
}

bool Streams::group_has_work(std::size_t group) const {
  return std::ranges::any_of(groups_[group].contexts,
                             [&](std::size_t context) { return has_work(streams_[context]); });
}

bool Streams::has_batches(std::size_t group) const {
  return std::ranges::any_of(groups_[group].contexts,
                             [&](std::size_t context) { return !streams_[context].batches.empty(); });
}

void Streams::note_batch(Stream& stream) {
  if (stream.batches.empty()) return;
  if (!std::exchange(stream.has_batch, true)) {
    ++with_batches_;
    stream.kernel = 0;
    stream.kernels = timed_.find(*stream.batches.front().given, stream.spec.sms);
    stream.wait_for_kernel();
  }
  if (!repeats_.in_batch(stream.context) && !stream.batches.front().gated)
    repeats_.begin_batch(stream.context);
}

// The oldest batch is done.
void Streams::end_batch(Stream& stream) {
  sim::contract(stream.has_batch && with_batches_ > 0, "a batch that ends is the oldest of its stream");
  repeats_.end_batch(stream.context);
  stream.batches.pop();
  stream.has_batch = false;
  --with_batches_;
  ++stream.unseen;
  ++unseen_;
  stream.wait_for_kernel();
  note_batch(stream);
}

// When the stream's next kernel is launched and, while its group runs, when it joins the line.
void Streams::plan(Stream& stream) {
  if (repeats_.on() && !repeats_.repeat(stream.context)) stop_repeating();
  if (repeats_.on() || stream.on_gpu) return;
  const Time now = engine_.now();
  if (stream.launched > now) {
    const Time at = stream.batches.ready(stream.kernel);
    stream.launched = at == Time::never() ? at : std::max(at, now);
  }
  stream.ready = Time::never();
  if (stream.launched == Time::never() || stream.group != running_) return;
  Time from = std::max(stream.launched, starts_from_);
  // Launch gaps were measured where no other process has a context.
  const Batch& batch = stream.batches.front();
  if (!batch.kernel_by_kernel && groups_.size() == 1 && stream.free_since < Time::never())
    from = std::max(from, stream.free_since + space::launch_gap(*batch.given, stream.kernel));
  stream.ready = from + stream.front_end;
}

bool Streams::catch_up() {
  if (repeats_.on() || !running_) return false;
  const bool moved = with_batches_ == 1 && run_alone();
  groups_[*running_].dispatcher.run_until(engine_.now());
  return moved;
}

void Streams::step(Places places) {
  if (repeats_.on()) end_repeats();
  if (repeats_.on() || !running_) return;
  end_kernels();
  start_kernels(places);
}

void Streams::end_kernels() {
  Group& group = groups_[*running_];
  done_.clear();
  group.dispatcher.end(done_);
  for (const int number : done_) end_kernel(streams_[group.contexts[static_cast<std::size_t>(number)]]);
}

void Streams::end_kernel(Stream& stream) {
  sim::contract(stream.on_gpu && stream.began && !stream.batches.empty(),
                "a kernel that ends had begun, and belongs to an enqueued batch");
  set_executing(stream, false);
  stream.on_gpu = false;
  loose_.insert(std::ranges::lower_bound(loose_, stream.context), stream.context);
  stream.free_since = engine_.now();
  if (observer_.finished != nullptr)
    observer_.finished(observer_.context, {static_cast<std::uint32_t>(stream.context)}, *stream.began,
                       engine_.now());
  if (++stream.kernel == stream.batches.front().given->kernels.size())
    end_batch(stream);
  else
    stream.wait_for_kernel();
  plan(stream);
}

void Streams::start_kernels(Places places) {
  const Time now = engine_.now();
  Group& group = groups_[*running_];
  while (places == Places::all) {
    Stream* first = nullptr;
    for (const std::size_t context : loose_) {
      Stream& stream = streams_[context];
      if (stream.group == running_ && !stream.on_gpu && stream.ready <= now &&
          (first == nullptr || stream.ready < first->ready))
        first = &stream;
    }
    if (first == nullptr) break;
    first->on_gpu = true;
    first->ready = Time::never();
    first->timed = &first->kernels->at(first->kernel, spec_, rates_);
    first->counted = 0;
    first->began = {};
    group.dispatcher.ready(first->number, first->timed->work);
  }
  group.dispatcher.dispatch(places);
  for (const std::size_t context : loose_) {
    Stream& stream = streams_[context];
    if (stream.group != running_ || !stream.on_gpu || stream.began) continue;
    if (!group.dispatcher.started(stream.number)) continue;
    stream.began = now + std::min(observer_.first_stamp, stream.timed->kernel.duration);
    set_executing(stream, true);
  }
}

Time Streams::next(Places places) {
  const Time now = engine_.now();
  Time next = Time::never();
  if (repeats_.on()) {
    for (const Stream& stream : streams_)
      if (!stream.batches.launching()) next = std::min(next, repeats_.ends(stream.context));
    return next;
  }
  for (const std::size_t context : loose_) {
    const Stream& stream = streams_[context];
    if (stream.on_gpu) continue;
    if (stream.launched > now)
      next = std::min(next, stream.launched);
    else if (places == Places::all)
      next = std::min(next, stream.ready);
  }
  if (!running_) return next;
  const Group& group = groups_[*running_];
  const auto lone = with_batches_ == 1 ? alone() : std::nullopt;
  if (!lone) return std::min(next, group.dispatcher.next());
  return std::min(next, group.dispatcher.next() + rest_alone(streams_[*lone]));
}

void Streams::set_rates(const Rates& rates) {
  if (repeats_.on()) stop_repeating();
  repeats_.forget();
  for (Stream& stream : streams_)
    if (stream.on_gpu) count(stream);
  rates_ = rates;
  timed_.forget();
  for (Stream& stream : streams_) {
    if (!stream.on_gpu) continue;
    const TimedKernel& timed = stream.kernels->at(stream.kernel, spec_, rates_);
    groups_[stream.group].dispatcher.retime(stream.number, timed.work);
    if (stream.executing) execute(stream, true, resident_of(stream.kernel_in_hand()), engine_.now());
  }
}

}  // namespace jostle::gpu
