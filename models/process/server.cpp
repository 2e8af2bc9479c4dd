#include "models/process/server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/contract.hpp"

namespace jostle::process {

using sim::Time;

namespace {

// From the write of one core until another that reads it all the time sees it; assumed.
const sim::Duration line_transfer = sim::microseconds(0.1);

constexpr std::uint64_t ahead = 2;  // batches under way on a stream in a closed loop: one runs, one waits

// Number of requests that an image makes.
std::int64_t draw(const FanOut& fan_out, sim::RandomStream& random) {
  if (fan_out.kind == FanOutKind::fixed) return static_cast<std::int64_t>(fan_out.mean);
  // Poisson: the number of arrivals in an interval of length `mean` at rate 1.
  std::int64_t count = 0;
  for (double at = random.exponential(1); at <= fan_out.mean; at += random.exponential(1)) ++count;
  return count;
}

Spec lane_of(const Spec& part, const std::string& name, std::optional<std::uint32_t> group) {
  Spec lane = part;
  lane.name = name;
  lane.instances.clear();
  lane.gpu_group = group;
  return lane;
}

// The name on timelines: "server, 2 classifier", "resnet50 0, stream 1"; for the only stream the name of its
// process.
std::string name_of_lane(const Spec& process, const Spec& part, std::size_t index) {
  if (!serves_instances(process)) return process.name;
  if (process.instances.empty()) return fmt::format("{}, stream {}", process.name, index);
  return fmt::format("{}, {} {}", process.name, index, part.name);
}

// The cost of its operators beside arithmetic is in the work of each block.
Costs of_team(Costs costs) {
  costs.runtime.per_batch = costs.runtime.per_launch = sim::Duration::zero();
  costs.sync.poll = std::min(costs.sync.poll, line_transfer);
  return costs;
}

}  // namespace

Server::Lane::Lane(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
                   Accounting& accounting)
    : spec_(spec),
      costs_(costs),
      team_costs_(of_team(costs)),
      steps_(board, spec_, spec.on_cores() ? team_costs_ : costs_, host, accounting) {
  if (spec_.host.threads > 0 && !alone())
    helpers_.emplace(board, spec_, team_costs_, host, accounting.time());
}

Server::Server(const BoardParts& board, const Spec& spec, const Costs& costs, std::deque<HostThread>& hosts,
               Accounting& accounting)
    : board_(board), engine_(board.engine), spec_(spec), accounting_(accounting) {
  for (HostThread& host : hosts) workers_.emplace_back(*this, host);
  const bool several = serves_instances(spec);
  for (const Spec& part : parts_of(spec)) {
    const Costs& own = spec.instances.empty() ? costs : costs.instances[parts_.size()];
    for (std::int64_t i = 0; i < part.streams; ++i) {
      const std::string name = name_of_lane(spec, part, lanes_.size());
      Worker& worker = workers_[lanes_.size() % workers_.size()];
      Lane& lane =
          lanes_.emplace_back(board, lane_of(part, name, spec.gpu_group), own, worker.host, accounting);
      worker.lanes.push_back(&lane);
      lane.part_ = parts_.size();
      lane.served_ = &accounting.served();
      if (!lane.alone()) lane.steps_.stream().also_set(worker.woken);
      if (!several) continue;
      // The requests of a query may be spread over the lanes, so a lane tells their own latencies.
      Arrivals single = part.arrivals;
      single.burst = 1;
      lane.served_ = &lane.own_.emplace(engine_, single, sim::Duration::zero());
      lane.steps_.record_for(*lane.own_);
    }
    parts_.emplace_back().spec = &part;
  }
}

void Server::open(const Identity& identity) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    sim::contract(part.requests() == nullptr, "queues of a server are opened once");
    // The first is named as in a process alone.
    const std::string of = i == 0 ? "" : fmt::format("instance {} ", i);
    if (board_.link)
      part.remote.emplace(board_, *part.spec, identity, accounting_.time());
    else if (!part.spec->arrivals.closed_loop())
      part.own.emplace(part.spec->arrivals, identity.random(of + "arrivals"));
    if (part.spec->arrivals.kind == ArrivalKind::cascade) part.fan_out = identity.random(of + "fan-out");
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (!lane.spec_.generation) continue;
    Part& part = parts_[lane.part()];
    lane.generator_.emplace(*lane.spec_.generation, part.requests(),
                            identity.random(fmt::format("lengths {}", i)),
                            part.remote ? part.remote->answer_time() : sim::Duration::zero());
    if (!part.remote || !lane.closed()) continue;
    for (std::int64_t user = 0; user < lane.spec_.generation->spec.users; ++user) part.remote->ask();
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i].own_) lanes_[i].own_->open_track(identity.named(lanes_[i].spec().name));
}

void Server::end_warmup() {
  for (Part& part : parts_)
    if (RequestQueue* const requests = part.requests()) requests->end_warmup();
  for (Lane& lane : lanes_) {
    if (lane.own_) lane.own_->end_warmup();
    if (lane.generator_) lane.generator_->end_warmup();
    if (!lane.alone()) lane.context().end_warmup();
  }
}

void Server::deliver(std::size_t part, Time made) {
  sim::contract(part < parts_.size() && parts_[part].fan_out && parts_[part].own,
                "images are delivered to a part that waits for those of another");
  sim::contract(made <= engine_.now(), "a request is served after it was made");
  const std::int64_t count = draw(parts_[part].spec->arrivals.fan_out, *parts_[part].fan_out);
  for (std::int64_t i = 0; i < count; ++i) parts_[part].own->deliver(made, engine_.now());
  if (count == 0) return;
  for (Worker& worker : workers_) timer_due(worker);
}

void Server::feed(std::size_t part, const Feed& feed) {
  for (Lane& lane : lanes_)
    if (lane.part() == part) lane.steps_.feed(feed);
}

void Server::hand_on_to(StageLine& line) {
  for (Lane& lane : lanes_) lane.steps_.hand_on_to(line);
}

void Server::serving(bool full) {
  for (Lane& lane : lanes_) lane.steps_.serving(full);
}

std::int64_t Server::drops(std::size_t part) const {
  const Part& of = parts_[part];
  return of.remote ? of.remote->drops() : of.own ? of.own->drops() : 0;
}
std::int64_t Server::delivered(std::size_t part) const {
  return parts_[part].own ? parts_[part].own->delivered() : 0;
}
std::int64_t Server::waiting(std::size_t part) {
  Part& of = parts_[part];
  return of.remote ? of.remote->waiting() : of.own ? of.own->waiting(engine_.now()) : 0;
}

bool Server::may_have_requests(std::size_t part) {
  Part& of = parts_[part];
  return of.remote ? of.remote->waiting() > 0 : of.own && of.own->may_have(engine_.now());
}

// True if the lane may get one more batch, once there is one.
bool Server::takes_more(const Lane& lane) const {
  const std::uint64_t most = lane.closed() && !lane.generator_ && !lane.steps_.one_by_one() ? ahead : 1;
  return lane.enqueued_ < max_batches(spec_) && lane.in_flight() < most;
}

// True if the lane gets a batch now.
bool Server::ready(Lane& lane) {
  if (!takes_more(lane)) return false;
  if (auto& remote = parts_[lane.part()].remote) remote->catch_up();
  if (lane.generator_) return lane.generator_->ready(engine_.now());
  if (lane.closed()) return true;
  RequestQueue& requests = *parts_[lane.part()].requests();
  if (lane.spec().arrivals.max_delay) return requests.batch_goes(engine_.now(), lane.spec().batch);
  return requests.may_have(engine_.now());
}

// The first, in the order `before`, of the lanes for which `is` is true; null if there is none.
template <class Before, class Is>
Server::Lane* next_of(const std::vector<Server::Lane*>& lanes, const Before& before, const Is& is) {
  Server::Lane* next = nullptr;
  for (Server::Lane* const lane : lanes)
    if (is(*lane) && (next == nullptr || before(*lane, *next))) next = lane;
  return next;
}

Server::Lane* Server::to_enqueue(const Worker& worker) {
  const auto before = [](const Lane& a, const Lane& b) {
    if (a.spec().priority != b.spec().priority) return a.spec().priority > b.spec().priority;
    if (a.in_flight() != b.in_flight()) return a.in_flight() < b.in_flight();
    return a.turn_ < b.turn_;
  };
  return next_of(worker.lanes, before, [this](Lane& lane) { return ready(lane); });
}

Server::Lane* Server::to_record(const Worker& worker) {
  const auto before = [](const Lane& a, const Lane& b) {
    if (a.spec().priority != b.spec().priority) return a.spec().priority > b.spec().priority;
    return a.turn_ < b.turn_;
  };
  return next_of(worker.lanes, before, [](Lane& lane) { return lane.done(); });
}

bool Server::any_in_flight(const Worker& worker) {
  return std::ranges::any_of(worker.lanes, [](const Lane* lane) { return lane->in_flight() > 0; });
}

bool Server::any_to_come(const Worker& worker) const {
  return std::ranges::any_of(worker.lanes, [this](const Lane* lane) {
    if (!takes_more(*lane)) return false;
    const Part& part = parts_[lane->part()];
    if (part.remote) return part.remote->expected();
    if (lane->generator_ && lane->closed()) return lane->generator_->next_ask() != Time::never();
    const ArrivalKind kind = part.spec->arrivals.kind;
    return kind == ArrivalKind::cascade || kind == ArrivalKind::clients ||
           part.own->ask_again() != Time::never();
  });
}

// Chooses the smallest batch with kernels that holds the requests just taken.
void Server::size_batch(Lane& lane) {
  const Spec& spec = lane.spec();
  if (!spec.smaller) return;
  const auto images = static_cast<std::int64_t>(lane.made_.size());
  const auto found = std::ranges::lower_bound(*spec.smaller, images, {}, &SizedBatch::images);
  const bool full = found == spec.smaller->end();
  const std::int64_t held = full ? spec.batch : found->images;
  lane.steps_.stream().size_next(full ? spec.kernels : found->kernels,
                                 static_cast<double>(held) / static_cast<double>(spec.batch));
}

// The loop's own work before a batch is enqueued, if that takes the host time.
sim::Task<> Server::form_batch(HostThread& host, Lane& lane) {
  const ServerCosts& costs = lane.costs_.runtime.server;
  if (costs.per_batch <= sim::Duration::zero() && costs.per_request <= sim::Duration::zero()) co_return;
  const auto requests = static_cast<std::int64_t>(lane.made_.size());
  host.set_phase(Phase::computing);
  co_await host.run(costs.per_batch + costs.per_request * requests);
}

sim::Task<> Server::enqueue(Worker& worker, Lane& lane) {
  sim::contract(lane.in_flight() < ahead, "a lane has so many batches under way at most");
  lane.turn_ = ++turns_;
  Time made = engine_.now();
  bool full = true;
  if (lane.generator_) {
    const gpu::KernelSequence* const step = lane.generator_->begin(engine_.now());
    if (step == nullptr) co_return;  // the request was dropped
    if (!lane.alone()) lane.steps_.stream().size_next(*step, 1);
    full = lane.generator_->full();
  } else if (lane.spec().arrivals.max_delay) {
    lane.made_ = parts_[lane.part()].requests()->take_batch(lane.spec().batch);
    sim::contract(!lane.made_.empty() && std::ssize(lane.made_) <= lane.spec().batch,
                  "a batch that goes has requests, as many as it holds at most");
    made = lane.made_.front();
    full = static_cast<std::int64_t>(lane.made_.size()) == lane.spec().batch;
    size_batch(lane);
    co_await form_batch(worker.host, lane);
  } else if (!lane.closed()) {
    const std::optional<Time> request = parts_[lane.part()].requests()->take(engine_.now());
    if (!request) co_return;  // the request was dropped
    lane.made_.assign(1, made = *request);
  }
  if (!lane.closed() && spec_.overlap == 0) lane.steps_.serving(full);
  if (!lane.spec().before.empty()) co_await lane.steps_.before(lane.images());
  if (lane.team() != nullptr)
    co_await launch(lane, made);
  else
    co_await lane.steps_.enqueue(lane.on_stream(), made);
  ++lane.enqueued_;
}

// Computes what the cores have before the kernels of a step and between them, and enqueues these.
sim::Task<> Server::launch(Lane& lane, Time made) {
  const HostPart& host = *lane.generator_->host();
  lane.team()->set_traffic(host.traffic);
  if (!host.before.empty()) co_await lane.team()->compute(host.before, !host.visits.empty());
  if (lane.alone()) {
    workers_.front().woken.set();  // a language model has one lane, and one worker
    co_return;
  }
  if (lane.generator_->step().kernels.empty()) {
    lane.steps_.stream().pass(lane.on_stream(), made);
  } else {
    lane.steps_.stream().copy_next(host.input_bytes, host.output_bytes);
    co_await lane.steps_.enqueue(lane.on_stream(), made);
  }
  if (!host.visits.empty()) co_await visit_cores(lane, made);
}

// The host waits for each part of the GPU before the cores go on, as ggml's scheduler does between splits of
// a graph. The last part is under way at the end.
sim::Task<> Server::visit_cores(Lane& lane, Time made) {
  const HostPart& host = *lane.generator_->host();
  for (const CoreVisit& visit : host.visits) {
    co_await lane.steps_.synchronise(lane.on_stream());
    ++lane.turns_taken_;
    co_await lane.team()->compute(visit.blocks, &visit != &host.visits.back());
    lane.steps_.stream().go_on_with(visit.kernels, visit.input_bytes, visit.output_bytes);
    co_await lane.steps_.enqueue(lane.on_stream(), made);
  }
}

// The clients of a batch have their answers, and think; other threads may serve what they ask then.
void Server::answer_clients(const Worker& worker, const Lane& lane) {
  if (lane.spec().arrivals.kind != ArrivalKind::clients) return;
  for (const Time made : lane.made_) parts_[lane.part()].own->answered(made, engine_.now());
  for (Worker& other : workers_)
    if (&other != &worker) timer_due(other);
}

void Server::record(Worker& worker, Lane& lane) {
  sim::contract(lane.in_flight() > 0, "a batch that is recorded had been enqueued");
  const std::uint64_t batch = lane.seen_++;
  lane.turn_ = ++turns_;
  if (lane.generator_) {
    worker.host.set_phase(Phase::idle);
    const std::span<const Time> complete = lane.generator_->finish(engine_.now());
    if (!complete.empty()) lane.steps_.record(complete, static_cast<std::int64_t>(complete.size()));
    if (auto& remote = parts_[lane.part()].remote)
      for (std::size_t i = 0; i < complete.size(); ++i) remote->answer();
  } else if (lane.closed())
    lane.steps_.record(batch);
  else if (lane.spec().arrivals.max_delay)
    lane.steps_.record(lane.made_, static_cast<std::int64_t>(lane.made_.size()));
  else
    lane.steps_.record(lane.made_, lane.spec().batch);
  answer_clients(worker, lane);
}

// Waits until a batch is done, or until there is a request that a free lane can serve.
sim::Task<> Server::wait(Worker& worker) {
  if (to_record(worker) == nullptr) {
    worker.woken.reset();
    set_timer(worker);
  }
  if (any_in_flight(worker)) {
    const Time entered = engine_.now();
    worker.host.set_phase(Phase::synchronising);
    co_await worker.host.wait_for_any(worker.woken, worker.lanes.size());
    accounting_.synchronised(entered);
  } else {
    worker.host.set_phase(Phase::idle);
    co_await worker.host.sleep_until(worker.woken);
  }
}

void Server::set_timer(Worker& worker) {
  engine_.cancel(worker.timer);
  Time at = Time::never();
  for (const Lane* const lane : worker.lanes) {
    if (!takes_more(*lane)) continue;
    if (auto& remote = parts_[lane->part()].remote)
      remote->call_at_arrival([](void* self) { static_cast<Worker*>(self)->timer_due(); }, &worker);
    else if (lane->closed() && lane->generator_)
      at = std::min(at, lane->generator_->next_ask());
    else if (!lane->closed())
      at = std::min(at, parts_[lane->part()].own->ask_again());
  }
  if (at != Time::never())
    worker.timer = engine_.schedule(std::max(at, engine_.now()), sim::action<&Worker::timer_due>(worker));
}

// Wakes the host if there is something to serve; otherwise sets the timer again.
void Server::timer_due(Worker& worker) {
  if (worker.woken.is_set()) return;
  if (to_enqueue(worker) != nullptr)
    worker.woken.set();
  else
    set_timer(worker);
}

sim::Task<LoopEnd> Server::run(Worker& worker) {
  for (;;) {
    Lane* const next = to_enqueue(worker);
    Lane* const done = to_record(worker);
    const bool overtaken =
        next != nullptr && done != nullptr && done->spec().priority > next->spec().priority;
    if (next != nullptr && !overtaken) {
      co_await enqueue(worker, *next);
      continue;
    }
    if (!any_in_flight(worker) && !any_to_come(worker)) break;
    co_await wait(worker);
    if (Lane* const finished = to_record(worker)) {
      if (!finished->spec().after.empty()) co_await finished->steps_.after(finished->images());
      if (finished->team() != nullptr && !finished->generator_->host()->after.empty())
        co_await finished->team()->compute(finished->generator_->host()->after);
      record(worker, *finished);
    }
  }
  sim::contract(!any_in_flight(worker), "a host thread ends after its last batch");
  const bool all = std::ranges::all_of(
      worker.lanes, [this](const Lane* lane) { return lane->enqueued_ == max_batches(spec_); });
  co_return all ? LoopEnd::all_batches_done : LoopEnd::no_more_requests;
}

}  // namespace jostle::process
