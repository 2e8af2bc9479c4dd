#include "models/process/inference.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jostle::process {
namespace {

// The streams of one process share its turn on the GPU.
// Before the first request a thread loads for one to three times this, and then looks in steps
// whether it may begin, as the processes of evidence/h200-host did. The lengths do not matter, the order
// does.
const sim::Duration load_time = sim::milliseconds(1), load_step = sim::milliseconds(0.5);
const sim::Duration load_look = sim::microseconds(10);

Spec grouped(Spec spec, const Identity& identity) {
  if (serves_instances(spec)) spec.gpu_group = identity.index;
  return spec;
}

}  // namespace

// Adds the host threads. The first is named, draws and is accounted for as the only one of a process is.
void Inference::add_hosts(const BoardParts& board, const Identity& identity) {
  if (spec_.host_threads > 1) lock_.emplace(costs_.locks);
  hosts_.emplace_back(board, spec_, costs_, identity.random("host time"), accounting_.time());
  for (std::int64_t i = 1; i < spec_.host_threads; ++i) {
    TimeAccount& before = i == 1 ? accounting_.time() : other_times_.back();
    TimeAccount& time = other_times_.emplace_back(engine_, costs_.runtime.api_share);
    before.pass_on_to(time);
    hosts_.emplace_back(board, spec_, costs_, identity.random(fmt::format("host time {}", i)), time);
    go_.emplace_back();
  }
  if (!lock_) return;
  for (HostThread& host : hosts_) host.share(*lock_);
}

Inference::Work Inference::work_of(const BoardParts& board, const Identity& identity) {
  add_hosts(board, identity);
  if (spec_.overlap > 0) return Work(std::in_place_type<Pipeline>, board, spec_, costs_, hosts_, accounting_);
  if (serves_instances(spec_) || gathers(spec_))
    return Work(std::in_place_type<Server>, board, spec_, costs_, hosts_, accounting_);
  return Work(std::in_place_type<Alone>, board, spec_, costs_, hosts_.front(), accounting_);
}

Inference::Inference(const BoardParts& board, const Spec& spec, const Costs& costs, const Identity& identity)
    : spec_(grouped(spec, identity)),
      costs_(costs),
      engine_(board.engine),
      loading_(identity.random("loading")),
      accounting_(board, spec_, costs_),
      work_(work_of(board, identity)) {
  if (auto* alone = std::get_if<Alone>(&work_)) {
    if (board.link)
      alone->requests.emplace(std::in_place_type<RemoteClient>, board, spec_, identity, accounting_.time());
    else
      alone->requests.emplace(std::in_place_type<RequestQueue>, spec_.arrivals, arrivals_random(identity));
  }
  accounting_.open_tracks(identity);
  if (auto* own = std::get_if<Server>(&work_)) own->open(identity);
  if (auto* pipeline = std::get_if<Pipeline>(&work_)) pipeline->open(identity);
}

const Server* Inference::server() const {
  if (const auto* pipeline = std::get_if<Pipeline>(&work_)) return &pipeline->server();
  return std::get_if<Server>(&work_);
}

sim::Task<> Inference::load(HostThread& host) {
  co_await host.wake_at(engine_.now() + sim::work_in(load_time, loading_.uniform()));
  co_await host.run(sim::work_in(load_time, 1 + 2 * loading_.uniform()));
  while (engine_.now() < sim::Time::zero() + spec_.start) {
    co_await host.wake_at(engine_.now() + load_step + timer_slack);
    co_await host.run(load_look);
  }
}

sim::Process Inference::body(std::size_t thread) {
  HostThread& host = hosts_[thread];
  if (spec_.setup && thread > 0) {
    co_await host.sleep_until(go_[thread - 1]);
  } else if (spec_.setup) {  // the set-up is one stretch of work
    co_await host.run(setup_of(costs_.runtime, spec_));
    accounting_.ready();
    for (cpu::Flag& go : go_) go.set();
  }
  if (spec_.start > sim::Duration::zero()) co_await load(host);
  LoopEnd end{};
  if (auto* alone = std::get_if<Alone>(&work_))
    end = co_await loop_of(spec_, alone->steps, *alone->requests);
  else if (auto* pipeline = std::get_if<Pipeline>(&work_)) {
    pipeline->start();
    end = co_await pipeline->server().run(thread);
    if (ended_ + 1 == hosts_.size()) co_await pipeline->drain(host);
  } else {
    end = co_await std::get<Server>(work_).run(thread);
  }
  host.retire();
  all_batches_ = all_batches_ && end == LoopEnd::all_batches_done;
  if (++ended_ < hosts_.size() || !all_batches_) co_return;
  accounting_.finished();
  engine_.stop();
}

void Inference::deliver(std::size_t part, sim::Time made) {
  server()->deliver(part, made);
}

void Inference::feed(std::size_t part, const Feed& feed) {
  if (auto* alone = std::get_if<Alone>(&work_))
    alone->steps.feed(feed);
  else
    server()->feed(part, feed);
}

Stream* Inference::stream() {
  auto* alone = std::get_if<Alone>(&work_);
  return alone != nullptr ? std::get_if<Stream>(&alone->steps.executor()) : nullptr;
}

void Inference::settle() {
  accounting_.time().settle();
  for (TimeAccount& time : other_times_) time.settle();
}

sim::Duration Inference::time_in(Share share) const {
  sim::Duration sum = time().in(share);
  for (const TimeAccount& other : other_times_) sum += other.in(share);
  return sum;
}

sim::Duration Inference::thread_time() const {
  sim::Duration sum = time().elapsed();
  for (const TimeAccount& other : other_times_) sum += other.elapsed();
  return sum;
}

TimeAccount::Enqueue Inference::enqueuing() const {
  TimeAccount::Enqueue sum = time().enqueue();
  for (const TimeAccount& other : other_times_) {
    sum.launch += other.enqueue().launch;
    sum.reschedule += other.enqueue().reschedule;
    sum.compute += other.enqueue().compute;
    sum.blocking += other.enqueue().blocking;
  }
  return sum;
}

void Inference::end_warmup() {
  accounting_.end_warmup();
  for (TimeAccount& time : other_times_) time.clear();
  throttled_before_ = throttled_so_far();
  if (auto* own = std::get_if<Server>(&work_)) return own->end_warmup();
  if (auto* pipeline = std::get_if<Pipeline>(&work_)) return pipeline->end_warmup();
  std::visit([](auto& requests) { requests.end_warmup(); }, *std::get<Alone>(work_).requests);
  if (Stream* const own = stream()) own->context().end_warmup();
}

gpu::Running Inference::running() {
  if (Stream* const own = stream()) return own->context().running();
  gpu::Running sum;
  if (Server* const own = server()) {
    for (Server::Lane& lane : own->lanes()) {
      if (lane.alone()) continue;
      const gpu::Running of_lane = lane.context().running();
      sum.total += of_lane.total;
      sum.used += of_lane.used;
    }
  }
  return sum;
}

std::int64_t Inference::drops(std::size_t part) const {
  if (const auto* pipeline = std::get_if<Pipeline>(&work_)) return pipeline->drops();
  if (const auto* own = std::get_if<Server>(&work_)) return own->drops(part);
  return std::visit([](const auto& requests) { return requests.drops(); }, *std::get<Alone>(work_).requests);
}

std::int64_t Inference::drops() const {
  std::int64_t sum = 0;
  for (std::size_t part = 0; part < parts_of(spec_).size(); ++part) sum += drops(part);
  return sum;
}

std::int64_t Inference::delivered(std::size_t part) const {
  const auto* own = std::get_if<Server>(&work_);
  return own != nullptr ? own->delivered(part) : 0;
}

std::int64_t Inference::waiting(std::size_t part) {
  if (auto* pipeline = std::get_if<Pipeline>(&work_)) return pipeline->waiting();
  if (auto* own = std::get_if<Server>(&work_)) return own->waiting(part);
  struct Of {
    sim::Time now;
    std::int64_t operator()(RequestQueue& queue) const { return queue.waiting(now); }
    std::int64_t operator()(RemoteClient& client) const { return client.waiting(); }
  };
  return std::visit(Of{engine_.now()}, *std::get<Alone>(work_).requests);
}

bool Inference::may_have_requests(std::size_t part) {
  if (auto* pipeline = std::get_if<Pipeline>(&work_))
    return pipeline->may_have_requests() || pipeline->under_way() > 0;
  if (auto* own = std::get_if<Server>(&work_)) return own->may_have_requests(part);
  struct Of {
    sim::Time now;
    bool operator()(const RequestQueue& queue) const { return queue.may_have(now); }
    bool operator()(RemoteClient& client) const { return client.waiting() > 0; }
  };
  return std::visit(Of{engine_.now()}, *std::get<Alone>(work_).requests);
}

std::int64_t Inference::waiting() {
  std::int64_t sum = 0;
  for (std::size_t part = 0; part < parts_of(spec_).size(); ++part) sum += waiting(part);
  return sum;
}

const std::deque<Server::Lane>& Inference::instances() const {
  static const std::deque<Server::Lane> none;
  return serves_instances(spec_) ? server()->lanes() : none;
}

const TokenMetrics* Inference::tokens(std::size_t stream) const {
  const Server* const own = server();
  if (own == nullptr || !own->lanes()[stream].generator()) return nullptr;
  return &own->lanes()[stream].generator()->metrics();
}

std::vector<const Served*> Inference::served_by(std::size_t part) const {
  if (!serves_instances(spec_)) return {&served()};
  std::vector<const Served*> of_part;
  for (const Server::Lane& lane : instances())
    if (lane.part() == part) of_part.push_back(&lane.served());
  return of_part;
}

cpu::ThreadStatistics Inference::of_team() const {
  cpu::ThreadStatistics sum;
  const auto add = [&sum](const cpu::ThreadStatistics& more) {
    sum.throttled = std::max(sum.throttled, more.throttled);
    sum.migrations += more.migrations;
    sum.involuntary_switches += more.involuntary_switches;
  };
  if (const auto* pipeline = std::get_if<Pipeline>(&work_)) {
    add(pipeline->before().statistics());
    add(pipeline->after().statistics());
    return sum;
  }
  if (const auto* own = std::get_if<Server>(&work_)) {
    for (const Server::Lane& lane : own->lanes())
      if (lane.team()) add(lane.team()->statistics());
    return sum;
  }
  const auto* alone = std::get_if<Alone>(&work_);
  const auto* team = alone != nullptr ? std::get_if<ThreadTeam>(&alone->steps.executor()) : nullptr;
  return team != nullptr ? team->statistics() : cpu::ThreadStatistics{};
}

std::int64_t Inference::migrations() const {
  std::int64_t sum = of_team().migrations;
  for (const HostThread& host : hosts_) sum += host.statistics().migrations;
  return sum;
}

sim::Duration Inference::throttled_so_far() const {
  sim::Duration most = of_team().throttled;
  for (const HostThread& host : hosts_) most = std::max(most, host.statistics().throttled);
  return most;
}

std::int64_t Inference::involuntary_switches() const {
  std::int64_t sum = of_team().involuntary_switches;
  for (const HostThread& host : hosts_) sum += host.statistics().involuntary_switches;
  return sum;
}

}  // namespace jostle::process
