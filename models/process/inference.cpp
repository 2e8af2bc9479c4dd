#include "models/process/inference.hpp"

#include <algorithm>

namespace jostle::process {
namespace {

// The streams of one process share its turn on the GPU.
Spec grouped(Spec spec, const Identity& identity) {
  if (serves_instances(spec)) spec.gpu_group = identity.index;
  return spec;
}

}  // namespace

Inference::Work Inference::work_of(const BoardParts& board, const Spec& spec, const Costs& costs,
                                   HostThread& host, Accounting& accounting) {
  if (spec.overlap > 0) return Work(std::in_place_type<Pipeline>, board, spec, costs, host, accounting);
  if (serves_instances(spec) || gathers(spec))
    return Work(std::in_place_type<Server>, board, spec, costs, host, accounting);
  return Work(std::in_place_type<Alone>, board, spec, costs, host, accounting);
}

Inference::Inference(const BoardParts& board, const Spec& spec, const Costs& costs, const Identity& identity)
    : spec_(grouped(spec, identity)),
      costs_(costs),
      engine_(board.engine),
      accounting_(board, spec_, costs_),
      host_(board, spec_, costs_, identity.random("host time"), accounting_.time()),
      work_(work_of(board, spec_, costs_, host_, accounting_)) {
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

sim::Process Inference::body() {
  if (spec_.setup) {  // the set-up is one stretch of work
    co_await host_.run(setup_of(costs_.runtime, spec_));
    accounting_.ready();
  }
  LoopEnd end{};
  if (auto* alone = std::get_if<Alone>(&work_))
    end = co_await loop_of(spec_, alone->steps, *alone->requests);
  else {
    if (auto* pipeline = std::get_if<Pipeline>(&work_)) pipeline->start();
    end = co_await server()->run();
  }
  host_.retire();
  if (end == LoopEnd::no_more_requests) co_return;
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

void Inference::end_warmup() {
  accounting_.end_warmup();
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
  if (const auto* pipeline = std::get_if<Pipeline>(&work_)) {
    cpu::ThreadStatistics sum = pipeline->before().statistics();
    const cpu::ThreadStatistics more = pipeline->after().statistics();
    sum.throttled = std::max(sum.throttled, more.throttled);
    sum.migrations += more.migrations;
    sum.involuntary_switches += more.involuntary_switches;
    return sum;
  }
  const auto* alone = std::get_if<Alone>(&work_);
  const auto* team = alone != nullptr ? std::get_if<ThreadTeam>(&alone->steps.executor()) : nullptr;
  return team != nullptr ? team->statistics() : cpu::ThreadStatistics{};
}

std::int64_t Inference::migrations() const {
  return host_.statistics().migrations + of_team().migrations;
}

sim::Duration Inference::throttled_so_far() const {
  return std::max(host_.statistics().throttled, of_team().throttled);
}

std::int64_t Inference::involuntary_switches() const {
  return host_.statistics().involuntary_switches + of_team().involuntary_switches;
}

}  // namespace jostle::process
