#include "models/process/inference.hpp"

#include <algorithm>
#include <utility>

#include "models/process/wait.hpp"

namespace jostle::process {

using sim::Duration;
using sim::Time;

namespace {

// What a batch launches on the GPU, in all its segments.
gpu::KernelSequence gpu_work(const Spec& spec) {
  if (spec.segments.empty()) return spec.kernels;
  gpu::KernelSequence work;
  for (const Segment& segment : spec.segments)
    work.kernels.insert(work.kernels.end(), segment.kernels.kernels.begin(), segment.kernels.kernels.end());
  work.rebuild_finish();
  return work;
}

sim::RandomStream arrivals_random(const Spec& spec, const Identity& identity) {
  return identity.source(spec.arrivals).random("arrivals");
}

}  // namespace

Inference::Inference(const BoardParts& board, const Spec& spec, const Costs& costs, const Identity& identity)
    : engine_(board.engine),
      cpu_(board.cpu),
      gpu_(board.gpu),
      copies_(board.copies),
      spec_(spec),
      costs_(costs),
      random_(identity.random("host time")),
      requests_(board.link ? RequestQueue(spec.arrivals.queue_limit)
                           : RequestQueue(spec.arrivals, arrivals_random(spec, identity))),
      account_(board.engine, costs.runtime.api_share),
      traffic_(board.traffic),
      demand_(traffic_ ? memory::demand_of(gpu_work(spec_), traffic_->arbiter().capacity())
                       : memory::Demand{}),
      in_stages_(spec.before.size() + spec.after.size()) {
  if (!computes()) create_context();
  cpu::ThreadSpec thread = thread_spec();
  thread.listener = {
      .changed = [](void* self, cpu::State state, Time now, Duration done,
                    double rate) { static_cast<Inference*>(self)->thread_changed(state, now, done, rate); },
      .context = this};
  thread_ = cpu_.create_thread(thread);
  if (!spec_.segments.empty()) {
    stream_.emplace(
        engine_, *gpu_, context_, board.dlas[static_cast<std::size_t>(spec.dla)], spec_.segments,
        costs_.dla_border,
        StreamListener{.batch_done = [](void* self) { static_cast<Inference*>(self)->batch_seen(); },
                       .dla_changed =
                           [](void* self, dla::TaskState state) {
                             auto* const that = static_cast<Inference*>(self);
                             that->account_.set_dla(state);
                           },
                       .context = this});
  }
  if (computes()) {
    team_.emplace(engine_, cpu_, thread_, thread_spec(), spec_.host, costs_.runtime.per_launch, spec_.sync,
                  costs_.sync,
                  TeamListener{.helped =
                                   [](void* self, bool helped) {
                                     auto* const that = static_cast<Inference*>(self);
                                     that->account_.set_helped(helped);
                                   },
                               .context = this});
  }
  if (board.link) {
    client_.emplace(engine_, *board.link, spec_.payload_bytes, identity.source(spec_.arrivals).index,
                    spec_.arrivals, arrivals_random(spec_, identity), requests_,
                    RemoteClient::Listener{.under_way =
                                               [](void* self, bool any) {
                                                 auto* const that = static_cast<Inference*>(self);
                                                 that->account_.set_link(any);
                                               },
                                           .context = this});
  }
  if (sim::TraceSink* trace = engine_.trace()) {
    track_ = trace->track(identity.named(spec.name));
    if (!in_stages_.empty()) stage_track_ = trace->track(identity.named(spec.name + " stages"));
  }
}

void Inference::create_context() {
  context_ = gpu_->create_context(
      {.name = spec_.name,
       .refill_prolongs_turn = costs_.refill_prolongs_turn,
       .per_launch = costs_.runtime.gpu_per_launch,
       .listener = {.batch_seen = [](void* self) { static_cast<Inference*>(self)->segment_seen(); },
                    .state_changing =
                        [](void* self, gpu::ContextState next) {
                          static_cast<Inference*>(self)->context_changing(next);
                        },
                    .context = this}});
  account_.follow(*gpu_, context_);
}

cpu::ThreadSpec Inference::thread_spec() const {
  return {.name = spec_.name,
          .cpus = spec_.cpus,
          .nice = spec_.nice,
          .working_set_bytes = costs_.runtime.working_set_bytes};
}

sim::Process Inference::body() {
  if (spec_.arrivals.kind != ArrivalKind::closed_loop || (client_ && serial())) return serve_arrivals();
  if (client_) return closed_loop_over_link();
  return serial() ? one_by_one() : closed_loop();
}

// What comes before the first batch: one stretch of work of the host.
sim::Task<> Inference::set_up() {
  co_await cpu_.run(thread_, setup_of(costs_.runtime, spec_));
  ready_ = engine_.now();
}

void Inference::finish() {
  finished_ = engine_.now();
  cpu_.retire(thread_);
  engine_.stop();
}

sim::Process Inference::closed_loop() {
  if (spec_.setup) co_await set_up();
  co_await enqueue(0, engine_.now());
  for (std::uint64_t batch = 0; batch < max_batches(); ++batch) {
    if (batch + 1 < max_batches()) co_await enqueue(batch + 1, engine_.now());
    co_await synchronise(batch);
    record(batch);
  }
  finish();
}

// As closed_loop(), where the client knows of a batch and the host of a request only later. The host has one
// thread: it enqueues what is there, and only then waits for what it has enqueued.
sim::Process Inference::closed_loop_over_link() {
  if (spec_.setup) co_await set_up();
  client_->ask(engine_.now());
  ++asked_;
  std::uint64_t enqueued = 0;
  for (std::uint64_t batch = 0; batch < max_batches();) {
    client_->catch_up();
    std::optional<Time> made;
    if (enqueued < max_batches() && enqueued < batch + 2) made = requests_.take(engine_.now());
    if (made) {
      co_await enqueue(enqueued, *made);
      if (++enqueued == 1) answer(0);  // begins with two
    } else if (batch < enqueued) {
      co_await synchronise(batch);
      record(batch++);
      answer(batch);
    } else {
      co_await wait_for_request();
    }
  }
  finish();
}

// In a closed loop the client asks again when it has the answer. `batches`: done so far.
void Inference::answer(std::uint64_t batches) {
  if (batches > 0) client_->answer();
  if (spec_.arrivals.kind != ArrivalKind::closed_loop || asked_ == max_batches()) return;
  client_->ask(batches > 0 ? engine_.now() + client_->answer_time() : engine_.now());
  ++asked_;
}

// One over the link.
sim::Task<> Inference::wait_for_request() {
  co_await cpu_.block(thread_, client_->arrival(), costs_.sync.wake_latency);
  client_->catch_up();
}

sim::Process Inference::one_by_one() {
  if (spec_.setup) co_await set_up();
  for (std::uint64_t batch = 0; batch < max_batches(); ++batch) co_await serve(batch, engine_.now());
  finish();
}

sim::Process Inference::serve_arrivals() {
  if (spec_.setup) co_await set_up();
  if (client_ && spec_.arrivals.kind == ArrivalKind::closed_loop) {  // one at a time
    client_->ask(engine_.now());
    ++asked_;
  }
  for (std::uint64_t batch = 0; batch < max_batches(); ++batch) {
    if (client_) client_->catch_up();
    std::optional<Time> made;
    while (!(made = requests_.take(engine_.now()))) {
      if (client_ ? !client_->expected() : requests_.next() == Time::never()) {
        cpu_.retire(thread_);
        co_return;
      }
      if (client_)
        co_await wait_for_request();
      else
        co_await cpu_.sleep_until(thread_, requests_.next() + costs_.sync.wake_latency);
    }
    co_await serve(batch, *made);
    if (client_) answer(batch + 1);
  }
  finish();
}

sim::Task<> Inference::serve(std::uint64_t batch, Time since) {
  if (!spec_.before.empty()) co_await work_on(spec_.before, 0);
  if (computes()) {
    co_await compute(batch, since);
  } else {
    co_await enqueue(batch, since);
    co_await synchronise(batch);
  }
  if (!spec_.after.empty()) co_await work_on(spec_.after, spec_.before.size());
  record(batch);
}

sim::Task<> Inference::work_on(const std::vector<HostStage>& stages, std::size_t first) {
  set_phase(Phase::computing);
  const double factor = random_.lognormal_unit_mean(costs_.runtime.variation);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Time from = engine_.now();
    co_await cpu_.run(thread_, sim::work_in(stages[i].work, factor));
    in_stages_[first + i] += engine_.now() - from;
    if (sim::TraceSink* trace = engine_.trace())
      trace->slice(stage_track_, from, engine_.now() - from, stages[i].name);
  }
}

// One batch on the process's own threads.
sim::Task<> Inference::compute(std::uint64_t batch, Time since) {
  slot(batch).since = since;
  set_phase(Phase::computing);
  const double factor = random_.lognormal_unit_mean(costs_.runtime.variation);
  co_await cpu_.run(thread_, sim::work_in(costs_.runtime.per_batch, factor));
  co_await team_->run(factor);
}

// One enqueue call: the host launches the batch's kernels, at once or one by one.
sim::Task<> Inference::enqueue(std::uint64_t batch, Time since) {
  const RuntimeSpec& runtime = costs_.runtime;
  const auto kernels = static_cast<std::int64_t>(spec_.kernels.kernels.size());
  slot(batch).done.reset();
  slot(batch).since = since;
  set_phase(Phase::enqueuing);
  const double factor = random_.lognormal_unit_mean(runtime.variation);
  const bool gated = copies_.takes_time(spec_.input_bytes);
  if (gated) {
    note_copies(+1);
    copies_.copy(spec_.input_bytes, sim::action<&Inference::input_copied>(*this));
  }
  if (stream_) {
    if (!gated) stream_->input_arrived();
    co_await cpu_.run(thread_, sim::work_in(runtime.per_batch +
                                                runtime.per_launch * SegmentStream::launches(spec_.segments),
                                            factor));
    stream_->launched();
  } else if (launches_at_once()) {
    co_await cpu_.run(
        thread_, sim::work_in(runtime.per_batch + runtime.per_launch + runtime.per_node * kernels, factor));
    gpu_->enqueue(context_, spec_.kernels, gated && !std::exchange(input_early_, false));
  } else {
    const gpu::LaunchPlan plan{
        .first = sim::work_in(runtime.per_batch, factor),
        .each = sim::work_in(spec_.pace.value_or(Duration::zero()) + runtime.per_launch, factor)};
    gpu_->begin_launches(context_, spec_.kernels, plan, gated);
    launching_ = true;
    co_await cpu_.run(thread_, plan.first + plan.each * kernels);
    launching_ = false;
    gpu_->finish_launches(context_);
  }
  ++enqueued_;
  ++enqueue_calls_;
  account_.set_outstanding(true);
}

// One synchronise call: waits until the batch is seen to be done.
sim::Task<> Inference::synchronise(std::uint64_t batch) {
  const Time entered = engine_.now();
  set_phase(Phase::synchronising);
  co_await wait_for(cpu_, thread_, slot(batch).done, spec_.sync, costs_.sync);
  synchronising_ += engine_.now() - entered;
  ++synchronise_calls_;
}

void Inference::record(std::uint64_t batch) {
  const Time now = engine_.now();
  const Duration back = client_ ? client_->answer_time() : Duration::zero();
  const Duration latency = now + back - slot(batch).since;
  rate_.add(now, static_cast<double>(spec_.batch));
  latency_.add(sim::to_seconds(latency));
  if (spec_.answered != nullptr) spec_.answered->push_back({slot(batch).since, now + back});
  ++batches_;
  engine_.progress();
  set_phase(Phase::idle);
  if (sim::TraceSink* trace = engine_.trace()) {
    // Batches overlap by one: on the timeline a batch is drawn from when the one before it was done.
    const Time from = std::max(slot(batch).since, drawn_until_);
    trace->slice(track_, from, now - from, "batch");
    drawn_until_ = now;
  }
}

// What the account is told of

void Inference::set_phase(Phase phase) {
  working_ = phase == Phase::enqueuing;
  note_core_traffic();
  account_.set_phase(phase);
}

void Inference::thread_changed(cpu::State state, Time now, Duration done, double rate) {
  account_.set_thread(state);
  on_core_ = state == cpu::State::on_core || state == cpu::State::refilling;
  note_core_traffic();
  if (launching_) gpu_->host_progress(context_, {now, done, rate});
}

void Inference::context_changing(gpu::ContextState next) {
  account_.set_context(next);
  const bool owns = next == gpu::ContextState::owner;
  if (!traffic_ || owns == owns_gpu_) return;
  owns_gpu_ = owns;
  if (owns) {
    traffic_->gpu_runs(demand_);
  } else {
    traffic_->gpu_rests();
  }
}

void Inference::segment_seen() {
  if (stream_) {
    stream_->gpu_done();
  } else {
    batch_seen();
  }
}

void Inference::batch_seen() {
  const std::uint64_t unfinished = stream_ ? stream_->unfinished() : gpu_->unfinished(context_);
  account_.set_outstanding(unfinished > 0);
  if (copies_.takes_time(spec_.output_bytes)) {
    note_copies(+1);
    copies_.copy(spec_.output_bytes, sim::action<&Inference::batch_done>(*this));
  } else {
    slot(seen_++).done.set();
  }
}

// Waiting is done from a register or a cache; work moves data.
void Inference::note_core_traffic() {
  const double bytes = costs_.runtime.memory_bytes_per_s;
  const bool moves = on_core_ && working_;
  if (!traffic_ || bytes <= 0 || moves == moves_data_) return;
  moves_data_ = moves;
  traffic_->core_demands(moves ? bytes : -bytes);
}

void Inference::note_copies(int change) {
  copying_ += change;
  if (traffic_) traffic_->copies_change(change);
  account_.set_copying(copying_ > 0);
}

void Inference::input_copied() {
  note_copies(-1);
  if (stream_) {
    stream_->input_arrived();
  } else if (launches_at_once() && input_batches_ == enqueued_) {
    input_early_ = true;
  } else {
    gpu_->open(context_);
  }
  ++input_batches_;
}

void Inference::batch_done() {
  note_copies(-1);
  slot(seen_++).done.set();
}

// Statistics

void Inference::settle() {
  account_.settle();
}

void Inference::end_warmup() {
  account_.clear();
  rate_.clear();
  latency_.clear();
  enqueue_calls_ = synchronise_calls_ = batches_ = 0;
  synchronising_ = Duration::zero();
  in_stages_.assign(in_stages_.size(), Duration::zero());
  drops_before_ = requests_.drops();
  if (!computes()) running_before_ = gpu_->running(context_);
}

std::int64_t Inference::migrations() const {
  return cpu_.statistics(thread_).migrations + (team_ ? team_->statistics().migrations : 0);
}

std::int64_t Inference::involuntary_switches() const {
  return cpu_.statistics(thread_).involuntary_switches +
         (team_ ? team_->statistics().involuntary_switches : 0);
}

gpu::Running Inference::running() {
  if (computes()) return {};
  gpu::Running running = gpu_->running(context_);
  running.total -= running_before_.total;
  running.used -= running_before_.used;
  return running;
}

}  // namespace jostle::process
