#include "models/gpu/streams.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/gpu/occupancy.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

// Its next kernel is that at `kernel` of its oldest batch.
void Stream::wait_for_kernel() {
  launched = ready = Time::never();
  const bool by_itself = !batches.empty() && batches.front().kernel_by_kernel;
  front_end = by_itself ? per_launch : Duration::zero();
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

Stream& Streams::add(const ContextSpec& spec, std::size_t process) {
  Stream& stream = *streams_.emplace_back(std::make_unique<Stream>());
  stream.context = streams_.size() - 1;
  stream.group = group_of(spec);
  stream.per_launch = spec.per_launch;
  Group& group = groups_[stream.group];
  const auto before = std::ranges::count_if(
      group.contexts, [&](std::size_t other) { return readings_[other].process == process; });
  const int connections = std::max(spec_.space_sharing.connections, 1);
  const std::optional<SmPartition>& partition = spec.partition;
  stream.spec = {
      .priority = spec.priority,
      .connection = static_cast<int>(process) * connections + static_cast<int>(before) % connections,
      .client = client_of(
          {.process = process, .partition = partition ? std::optional(partition->id) : std::nullopt}),
      .sms = partition ? std::clamp(partition->sms, 1, std::max(spec_.sm_count, 1))
                       : space::sms_of_share(spec_, spec.sm_limit),
      .functions = spec.functions};
  stream.number = group.dispatcher.add_stream(stream.spec);
  group.contexts.push_back(stream.context);
  loose_.push_back(stream.context);
  return stream;
}

void Streams::settle() {
  std::erase_if(loose_,
                [&](std::size_t context) { return streams_[context]->on_gpu && streams_[context]->began; });
}

bool Streams::has_batches(std::size_t group) const {
  return std::ranges::any_of(groups_[group].contexts,
                             [&](std::size_t context) { return !streams_[context]->batches.empty(); });
}

void Streams::note_first(Stream& stream) {
  ++with_batches_;
  take_oldest(stream);
}

void Streams::pop(Stream& stream) {
  stream.batches.pop();
  if (stream.batches.empty()) --with_batches_;
  take_oldest(stream);
}

void Streams::take_oldest(Stream& stream) {
  stream.kernel = 0;
  if (!stream.batches.empty()) stream.kernels = timed_.find(*stream.batches.front().given, stream.spec.sms);
  stream.wait_for_kernel();
}

void Streams::plan(Stream& stream) {
  if (frozen_ || stream.on_gpu) return;
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

void Streams::resume(std::size_t group, Time from) {
  running_ = group;
  starts_from_ = from;
  if (frozen_) return;
  for (const std::size_t context : groups_[group].contexts) set_executing(*streams_[context], false);
  refills_ = false;
  groups_[group].dispatcher.skip_until(engine_.now());
  for (const std::size_t context : groups_[group].contexts) {
    Stream& stream = *streams_[context];
    set_executing(stream, stream.on_gpu && stream.began);
    plan(stream);
  }
}

void Streams::refill(std::size_t group) {
  if (frozen_) return;  // its usage is in the records
  refills_ = true;
  for (const std::size_t context : groups_[group].contexts)
    set_executing(*streams_[context], has_work(context));
}

void Streams::stand(std::size_t group) {
  for (const std::size_t context : groups_[group].contexts) {
    Stream& stream = *streams_[context];
    set_executing(stream, false);
    if (stream.ready == Time::never()) continue;
    // The part of the front end that has passed is not repeated.
    stream.front_end = std::clamp(stream.ready - engine_.now(), Duration::zero(), stream.front_end);
    stream.ready = Time::never();
  }
  running_.reset();
}

// The kernels that run are saved (expiry_cost() for one), and streams refill their caches at one time.
Duration Streams::expire(std::size_t index) {
  Group& group = groups_[index];
  const Duration least = expiry_cost(spec_, nullptr);
  Duration cost = least;
  for (const std::size_t context : group.contexts) {
    const Stream& stream = *streams_[context];
    if (!stream.batches.empty())
      group.refill = std::max(group.refill, cache_refill_after_expiry(spec_, *stream.batches.front().given));
    if (readings_[context].executing && group.dispatcher.fraction(stream.number) > 0)
      cost += expiry_cost(spec_, &stream.timed->kernel) - least;
  }
  return cost;
}

Duration Streams::refill_due(std::size_t group) {
  return std::exchange(groups_[group].refill, Duration::zero());
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

bool Streams::catch_up() {
  if (frozen_ || !running_) return false;
  const bool moved = with_batches_ == 1 && run_alone();
  groups_[*running_].dispatcher.run_until(engine_.now());
  return moved;
}

const std::vector<std::size_t>& Streams::end_kernels() {
  Group& group = groups_[*running_];
  done_.clear();
  over_.clear();
  group.dispatcher.end(done_);
  for (const int number : done_) end_kernel(*streams_[group.contexts[static_cast<std::size_t>(number)]]);
  return over_;
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
  if (++stream.kernel == stream.batches.front().given->kernels.size()) {
    over_.push_back(stream.context);
    return;
  }
  stream.wait_for_kernel();
  plan(stream);
}

void Streams::start_kernels(Places places) {
  const Time now = engine_.now();
  Group& group = groups_[*running_];
  while (places == Places::all) {
    Stream* first = nullptr;
    for (const std::size_t context : loose_) {
      Stream& stream = *streams_[context];
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
    Stream& stream = *streams_[context];
    if (stream.group != running_ || !stream.on_gpu || stream.began) continue;
    if (!group.dispatcher.started(stream.number)) continue;
    stream.began = now + std::min(observer_.first_stamp, stream.timed->kernel.duration);
    set_executing(stream, true);
  }
}

Time Streams::next(Places places) {
  const Time now = engine_.now();
  Time next = Time::never();
  for (const std::size_t context : loose_) {
    const Stream& stream = *streams_[context];
    if (stream.on_gpu) continue;
    if (stream.launched > now)
      next = std::min(next, stream.launched);
    else if (places == Places::all)
      next = std::min(next, stream.ready);
  }
  if (!running_) return next;
  const Group& group = groups_[*running_];
  const Stream* const lone = with_batches_ == 1 ? alone() : nullptr;
  if (lone == nullptr) return std::min(next, group.dispatcher.next());
  return std::min(
      next, group.dispatcher.next() + lone->kernels->alone(spec_, rates_, group.longer)[lone->kernel].rest);
}

void Streams::set_executing(Stream& stream, bool executing) {
  if (readings_[stream.context].executing == executing) return;
  count(stream);
  readings_.execute(stream.context, executing, executing ? resident_of(stream.kernel_in_hand()) : Resident{},
                    engine_.now());
}

Streams::Pending Streams::pending(const Stream& stream) const {
  const Account& account = readings_[stream.context];
  const Duration passed = account.executing ? engine_.now() - account.since : Duration::zero();
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

// Books what the context has used up to now.
void Streams::count(Stream& stream) {
  Account& account = readings_[stream.context];
  if (!account.executing) {
    account.since = engine_.now();
    return;
  }
  const Pending more = pending(stream);
  account.book(more.running, engine_.now());
  stream.counted = more.counted;
}

Running Streams::so_far(std::size_t context) const {
  const Pending more = pending(*streams_[context]);
  Running running = readings_[context].booked;
  running.total += more.running.total;
  running.used += more.running.used;
  return running;
}

void Streams::set_rates(const Rates& rates) {
  for (const auto& stream : streams_)
    if (stream->on_gpu) count(*stream);
  rates_ = rates;
  timed_.forget();
  for (const auto& stream : streams_) {
    if (!stream->on_gpu) continue;
    const TimedKernel& timed = stream->kernels->at(stream->kernel, spec_, rates_);
    groups_[stream->group].dispatcher.retime(stream->number, timed.work);
    if (readings_[stream->context].executing)
      readings_.execute(stream->context, true, resident_of(stream->kernel_in_hand()), engine_.now());
  }
}

std::vector<double> Streams::freeze() {
  std::vector<double> done(streams_.size(), 0);
  for (const auto& stream : streams_) {
    if (stream->batches.empty() || stream->batches.front().gated) continue;
    const KernelSequence& kernels = *stream->batches.front().given;
    Duration passed = stream->kernel > 0 ? kernels.finish[stream->kernel - 1] : Duration::zero();
    if (stream->on_gpu)
      passed += sim::work_in(kernels.kernels[stream->kernel].duration,
                             groups_[stream->group].dispatcher.fraction(stream->number));
    done[stream->context] = sim::to_seconds(passed) / sim::to_seconds(kernels.total());
    set_executing(*stream, false);
    stream->on_gpu = false;
    stream->launched = stream->ready = Time::never();
  }
  frozen_ = true;
  loose_.resize(streams_.size());
  std::iota(loose_.begin(), loose_.end(), std::size_t{0});
  return done;
}

void Streams::thaw(const std::vector<double>& done) {
  frozen_ = false;
  const Time now = engine_.now();
  for (Group& group : groups_) {
    group.dispatcher = space::Dispatcher(spec_, group.longer);
    for (const std::size_t context : group.contexts) group.dispatcher.add_stream(streams_[context]->spec);
    group.dispatcher.skip_until(now);
  }
  for (const auto& stream : streams_) {
    readings_[stream->context].since = now;
    stream->began.reset();
    if (stream->batches.empty()) continue;
    const KernelSequence& kernels = *stream->batches.front().given;
    const auto last = static_cast<std::uint32_t>(kernels.kernels.size()) - 1;
    const Duration passed = sim::work_in(kernels.total(), done[stream->context]);
    stream->kernel = std::min(underway(kernels, passed).kernel, last);
    stream->wait_for_kernel();
    plan(*stream);
  }
}

}  // namespace jostle::gpu
