#include "models/gpu/space_sharing.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/gpu/occupancy.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

SpaceSharedGpu::SpaceSharedGpu(sim::Engine& engine, const Spec& spec, SpaceOf space, std::uint64_t seed,
                               std::optional<LoopPrecision> loops)
    : engine_(engine),
      spec_(spec),
      space_(space),
      random_(seed, "gpu slices"),
      may_repeat_(loops.has_value()),
      loops_(loops.value_or(SteadyLoops::alone)) {
  // Fitted to mps.csv: a kernel does not start while one of another process is in its way.
  if (space_ == SpaceOf::all_processes) spec_.space_sharing.kernel_start = Duration::zero();
}

std::size_t SpaceSharedGpu::group_of(const ContextSpec& spec) {
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
                     .slice = spec.slice,
                     .refill = {},
                     .ran = {},
                     .runs_since = {},
                     .expiries = {}});
  rotation_.add(spec.interleave);
  return groups_.size() - 1;
}

std::size_t SpaceSharedGpu::process_of(const ContextSpec& spec) {
  const auto same = std::ranges::find_if(
      processes_, [&](const Process& process) { return spec.group && process.id == spec.group; });
  const auto index = static_cast<std::size_t>(same - processes_.begin());
  if (same == processes_.end()) processes_.push_back({.id = spec.group, .activity = {}});
  return index;
}

// The contexts of a process that are limited to the same SMs are one client of the dispatcher.
std::size_t SpaceSharedGpu::client_of(std::size_t process, const std::optional<SmPartition>& partition) {
  const Client client{.process = process,
                      .partition = partition ? std::optional(partition->id) : std::nullopt};
  const auto same = std::ranges::find(clients_, client);
  const auto index = static_cast<std::size_t>(same - clients_.begin());
  if (same == clients_.end()) clients_.push_back(client);
  return index;
}

ContextId SpaceSharedGpu::create_context(const ContextSpec& spec) {
  Context& context = contexts_.emplace_back();
  context.id = {static_cast<std::uint32_t>(contexts_.size() - 1)};
  context.spec = spec;
  context.group = group_of(spec);
  Group& group = groups_[context.group];
  const std::size_t number = context.process = process_of(spec);
  ++processes_[number].contexts;
  const auto before = std::ranges::count_if(
      group.contexts, [&](std::size_t other) { return contexts_[other].process == number; });
  const int connections = std::max(spec_.space_sharing.connections, 1);
  const int connection = static_cast<int>(number) * connections + static_cast<int>(before) % connections;
  context.sms = spec.partition ? std::clamp(spec.partition->sms, 1, std::max(spec_.sm_count, 1))
                               : space::sms_of_share(spec_, spec.sm_limit);
  context.stream_spec = {.priority = spec.priority,
                         .connection = connection,
                         .client = client_of(number, spec.partition),
                         .sms = context.sms,
                         .functions = spec.functions};
  context.stream = group.dispatcher.add_stream(context.stream_spec);
  group.contexts.push_back(context.id.index);
  loose_.push_back(context.id.index);
  if (sim::TraceSink* trace = engine_.trace()) context.track = trace->track("GPU: " + spec.name);
  return context.id;
}

void SpaceSharedGpu::push(Context& context, const Batch& batch) {
  context.batches.push_back(batch);
  if (context.batches.size() > 1) return;
  ++with_batches_;
  context.kernel = 0;
  next_kernel(context);
  begin_batch(context);
}

// The oldest batch could start now, if there is one and its input has been copied.
void SpaceSharedGpu::begin_batch(Context& context) {
  if (context.in_batch || context.batches.empty() || context.batches.front().gated) return;
  count(context);
  context.in_batch = true;
  context.kernels = timed_.find(*context.batches.front().given, context.sms);
  context.batch_since = axis(context);
  context.paused = context.batch_since - context.last_batch;
  context.ran_before = context.ran;
  context.used_before = context.used;
  note_presence(context);
}

// The oldest batch is done.
void SpaceSharedGpu::end_batch(Context& context) {
  if (!repeating_) record_batch(context);
  context.in_batch = false;
  context.last_batch = axis(context);
  context.ended_batch = true;
  note_presence(context);
  context.batches.erase(context.batches.begin());
  if (context.batches.empty()) --with_batches_;
  context.kernel = 0;
  ++context.unseen;
  ++unseen_;
  begin_batch(context);
}

// The context's next kernel is that at `kernel` of its oldest batch.
void SpaceSharedGpu::next_kernel(Context& context) {
  context.launched = context.ready = Time::never();
  const bool by_itself = !context.batches.empty() && context.batches.front().kernel_by_kernel;
  context.front_end = by_itself ? context.spec.per_launch : Duration::zero();
}

void SpaceSharedGpu::enqueue(ContextId id, const KernelSequence& kernels, bool gated) {
  catch_up();
  Batch batch;
  batch.given = batch.kernels = &kernels;
  batch.gated = gated;
  batch.launched = static_cast<std::uint32_t>(kernels.kernels.size());
  push(get(id), batch);
  plan_next(get(id));
  step();
}

void SpaceSharedGpu::begin_launches(ContextId id, const KernelSequence& kernels, const LaunchPlan& plan,
                                    bool gated) {
  catch_up();
  Batch batch;
  batch.given = batch.kernels = &kernels;
  batch.gated = gated;
  batch.kernel_by_kernel = true;
  batch.plan = plan;
  push(get(id), batch);
  get(id).host = {engine_.now(), Duration::zero(), 0};
}

// Accrues the launches at the old pace, before the pace changes.
void SpaceSharedGpu::note_launches(Context& context) {
  if (context.batches.empty()) return;
  Batch& newest = context.batches.back();
  newest.launched = launched_by(newest, context.host, engine_.now());
}

void SpaceSharedGpu::host_progress(ContextId id, const HostProgress& progress) {
  catch_up();
  note_launches(get(id));
  get(id).host = progress;
  plan_next(get(id));
  step();
}

void SpaceSharedGpu::finish_launches(ContextId id) {
  catch_up();
  Context& context = get(id);
  if (!context.batches.empty()) {
    Batch& newest = context.batches.back();
    newest.launched = static_cast<std::uint32_t>(newest.kernels->kernels.size());
  }
  context.host.rate = 0;
  plan_next(context);
  step();
}

void SpaceSharedGpu::open(ContextId id) {
  catch_up();
  Context& context = get(id);
  const auto gated = std::ranges::find(context.batches, true, &Batch::gated);
  if (gated != context.batches.end()) gated->gated = false;
  begin_batch(context);
  plan_next(context);
  step();
}

// Progress of the blocks up to now. Whatever ends now ends in step().
void SpaceSharedGpu::catch_up() {
  if (with_batches_ == 1) run_alone();
  if (!repeating_ && owner_ && owner_runs()) groups_[*owner_].dispatcher.run_until(engine_.now());
}

// When the context's next kernel is launched and, while its process has the GPU, when it joins the line.
void SpaceSharedGpu::plan_next(Context& context) {
  if (repeating_) repeat(context, 0);
  if (repeating_ || context.on_gpu) return;
  const Time now = engine_.now();
  if (context.launched > now) {
    const Time at = context.batches.empty()
                        ? Time::never()
                        : ready_time(context.batches.front(), context.host, context.kernel);
    context.launched = at == Time::never() ? at : std::max(at, now);
  }
  context.ready = Time::never();
  if (context.launched < Time::never() && context.group == owner_ && owner_runs()) {
    Time from = std::max(context.launched, starts_from_);
    // Launch gaps were measured where no other process has a context.
    const bool graph = !context.batches.front().kernel_by_kernel;
    if (graph && groups_.size() == 1 && context.free_since < Time::never())
      from = std::max(from,
                      context.free_since + space::launch_gap(*context.batches.front().given, context.kernel));
    context.ready = from + context.front_end;
  }
}

void SpaceSharedGpu::due() {
  event_ = {};
  catch_up();
  step();
}

// Handles this instant: blocks end, kernels become ready and start, turns begin and end.
void SpaceSharedGpu::step() {
  resumed_ = false;
  if (mode_ends_ <= engine_.now()) end_mode();
  if (mode_ == Mode::idle) end_idleness();
  if (repeating_) end_repeats();
  if (!repeating_ && owner_ && owner_runs()) {
    Group& group = groups_[*owner_];
    done_.clear();
    group.dispatcher.end(done_);
    for (const int stream : done_) kernel_over(contexts_[group.contexts[static_cast<std::size_t>(stream)]]);
    start_ready(group);
    end_turn();
    begin_repeating_if_steady();
  } else if (in_turns() && owner_ && owner_runs()) {
    end_turn();
  }
  refresh_states();
  schedule_next();
  // Do this last: a host that is woken at once calls back into this GPU.
  see_finished();
}

// Kernels that are ready join the line, those that were ready first before others, and what fits starts.
void SpaceSharedGpu::start_ready(Group& group) {
  const Time now = engine_.now();
  while (!draining_) {
    Context* first = nullptr;
    for (const std::size_t index : loose_) {
      Context& context = contexts_[index];
      if (context.group == owner_ && !context.on_gpu && context.ready <= now &&
          (first == nullptr || context.ready < first->ready))
        first = &context;
    }
    if (first == nullptr) break;
    first->on_gpu = true;
    first->ready = Time::never();
    first->timed = &first->kernels->at(first->kernel, spec_, rates_);
    first->counted = 0;
    first->began = {};
    group.dispatcher.ready(first->stream, first->timed->work);
  }
  group.dispatcher.dispatch(placing());
  for (const std::size_t index : loose_) {
    Context& context = contexts_[index];
    if (context.group != owner_ || !context.on_gpu || context.began) continue;
    if (!group.dispatcher.started(context.stream)) continue;
    context.began = now + std::min(observer_.first_stamp, context.timed->kernel.duration);
    set_executing(context, true);
  }
}

void SpaceSharedGpu::kernel_over(Context& context) {
  sim::contract(context.on_gpu && context.began && !context.batches.empty(),
                "a kernel that ends had begun, and belongs to an enqueued batch");
  set_executing(context, false);
  context.on_gpu = false;
  loose_.insert(std::ranges::lower_bound(loose_, context.id.index), context.id.index);
  context.free_since = engine_.now();
  if (observer_.finished != nullptr)
    observer_.finished(observer_.context, context.id, *context.began, engine_.now());
  if (++context.kernel == context.batches.front().given->kernels.size()) end_batch(context);
  next_kernel(context);
  plan_next(context);
}

// `more` kernels of the context execute from now on, with what is `resident`.
void SpaceSharedGpu::set_kernel(Context& context, int more, const Resident& resident) {
  activities_of(context, [&](Activity& activity) {
    activity.change_kernels(more, context.resident, resident, engine_.now());
  });
  context.resident = resident;
}

void SpaceSharedGpu::set_executing(Context& context, bool executing) {
  if (context.executing == executing) return;
  count(context);
  context.executing = executing;
  set_kernel(context, executing ? 1 : -1, executing ? resident_of(kernel_of(context)) : Resident{});
}

SpaceSharedGpu::Pending SpaceSharedGpu::pending(const Context& context) const {
  if (repeating_) return pending_repeat(context.repeat);
  const Duration passed = context.executing ? engine_.now() - context.counted_at : Duration::zero();
  Pending more{.running = {.total = passed, .used = {}}, .counted = context.counted};
  if (mode_ == Mode::refilling && passed > Duration::zero()) {
    more.running.used = usage_of_refill(kernel_of(context), passed);
  } else if (context.on_gpu && context.began) {
    const space::Dispatcher& dispatcher = groups_[context.group].dispatcher;
    const double fraction = dispatcher.has_kernel(context.stream) ? dispatcher.fraction(context.stream) : 1;
    const double part = std::max(fraction - context.counted, 0.0);
    more.counted += part;
    more.running.used = used_in(*context.timed, passed, part);
  }
  return more;
}

// Books what the context has used up to now.
void SpaceSharedGpu::count(Context& context) {
  if (!repeating_ && !context.executing) {
    context.counted_at = engine_.now();
    return;
  }
  const Pending more = pending(context);
  context.counted_at = engine_.now();
  context.ran += more.running.total;
  context.used += more.running.used;
  (repeating_ ? context.repeat.counted : context.counted) = more.counted;
}

// Execution so far is unchanged; a kernel in progress keeps its fraction.
void SpaceSharedGpu::set_rates(const Rates& rates) {
  if (!(rates.clock > 0 && rates.memory > 0)) throw std::invalid_argument("the GPU's rates must be positive");
  if (rates == rates_) return;
  catch_up();
  if (repeating_) stop_repeating();
  loops_.forget();
  begin_recording();
  for (Context& context : contexts_)
    if (context.on_gpu) count(context);
  rates_ = rates;
  timed_.forget();
  for (Context& context : contexts_) {
    if (!context.on_gpu) continue;
    groups_[context.group].dispatcher.retime(context.stream,
                                             context.kernels->at(context.kernel, spec_, rates_).work);
    if (context.executing) set_kernel(context, 0, resident_of(kernel_of(context)));
  }
  step();
}

// A notified host may enqueue its next batch at once, which calls this function again.
void SpaceSharedGpu::see_finished() {
  if (telling_ || unseen_ == 0) return;
  telling_ = true;
  for (std::size_t i = 0; i < contexts_.size();) {
    Context& context = contexts_[i];
    // A host that is to see completions only after the turn waits for its end, if others wait for theirs.
    const bool later = !context.spec.refill_prolongs_turn && context.group == owner_ &&
                       mode_ != Mode::switching && contended_;
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
  const bool switching = mode_ == Mode::switching;
  if (refreshed_for_ == owner_ && refreshed_for_switch_ == switching) {
    // A listener may change the rates, which refreshes the states as well.
    for (std::size_t i = 0; i < loose_.size(); ++i) refresh_state(contexts_[loose_[i]]);
  } else {
    refreshed_for_ = owner_;
    refreshed_for_switch_ = switching;
    for (Context& context : contexts_) refresh_state(context);
  }
  std::erase_if(loose_, [&](std::size_t index) { return contexts_[index].on_gpu && contexts_[index].began; });
}

void SpaceSharedGpu::refresh_state(Context& context) {
  if (!has_work(context))
    set_state(context, ContextState::empty);
  else if (context.group != owner_)
    set_state(context, ContextState::waiting);
  else
    set_state(context, mode_ == Mode::switching ? ContextState::switching_in : ContextState::owner);
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

void SpaceSharedGpu::schedule_next() {
  const Time now = engine_.now();
  Time next = mode_ends_;
  for (const std::size_t index : loose_) {
    const Context& context = contexts_[index];
    next = std::min(next, context.repeat.to);
    if (context.on_gpu) continue;
    if (context.launched > now)
      next = std::min(next, context.launched);
    else if (!draining_)
      next = std::min(next, context.ready);
  }
  if (owner_ && owner_runs()) {
    const auto lone = with_batches_ == 1 ? alone() : std::nullopt;
    if (lone)
      next = std::min(next, end_alone(contexts_[*lone]));
    else if (!repeating_)
      next = std::min(next, groups_[*owner_].dispatcher.next());
    if (contended_ && !draining_) next = std::min(next, turn_ends_);
  }
  next = std::max(next, now);
  if (next == Time::never()) {
    engine_.cancel(event_);
  } else if (engine_.pending(event_)) {
    engine_.reschedule(event_, next);
  } else {
    // After what hosts do at the same instant.
    event_ = engine_.schedule(next, sim::action<&SpaceSharedGpu::due>(*this), sim::Priority::late);
  }
}

Duration SpaceSharedGpu::running_time(ContextId id) {
  catch_up();
  return so_far(get(id)).total;
}

Duration SpaceSharedGpu::process_running_time(ContextId id) {
  catch_up();
  return processes_[get(id).process].activity.until(engine_.now()).kernels;
}

Running SpaceSharedGpu::so_far(const Context& context) const {
  const Pending more = pending(context);
  Running running{.total = context.ran + more.running.total, .used = context.used};
  running.used += more.running.used;
  return running;
}

// SMs have the kernels of several streams: each stream of a process gets an equal part of what the process
// has.
Running SpaceSharedGpu::running(ContextId id) {
  catch_up();
  Running running = so_far(get(id));
  const Process& process = processes_[get(id).process];
  const Resident seconds = process.activity.until(engine_.now()).seconds;
  running.used.sm_active = seconds.sms / process.contexts;
  running.used.occupancy = seconds.warps / process.contexts;
  return running;
}

Usage SpaceSharedGpu::used() {
  catch_up();
  Usage sum;
  for (const Context& context : contexts_) sum += so_far(context).used;
  const Resident seconds = active().seconds;
  sum.sm_active = seconds.sms;
  sum.occupancy = seconds.warps;
  return sum;
}

// Processes that take turns execute one after another.
ActiveTimes SpaceSharedGpu::active() const {
  if (space_ == SpaceOf::all_processes) return together_.until(engine_.now());
  ActiveTimes sum;
  for (const Process& process : processes_) {
    const ActiveTimes times = process.activity.until(engine_.now());
    sum.kernels += times.kernels;
    sum.seconds.sms += times.seconds.sms;
    sum.seconds.warps += times.seconds.warps;
  }
  return sum;
}

Duration SpaceSharedGpu::busy() {
  catch_up();
  return active().kernels;
}

}  // namespace jostle::gpu
