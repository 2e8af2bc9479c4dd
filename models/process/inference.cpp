#include "models/process/inference.hpp"

#include <algorithm>

namespace jostle::process {
namespace {

Requests requests_of(const BoardParts& board, const Spec& spec, const Identity& identity,
                     TimeAccount& account) {
  if (board.link) return Requests(std::in_place_type<RemoteClient>, board, spec, identity, account);
  return Requests(std::in_place_type<RequestQueue>, spec.arrivals, arrivals_random(identity));
}

}  // namespace

Inference::Inference(const BoardParts& board, const Spec& spec, const Costs& costs, const Identity& identity)
    : spec_(spec),
      costs_(costs),
      engine_(board.engine),
      accounting_(board, spec_, costs_),
      host_(board, spec_, costs_, identity.random("host time"), accounting_.time()),
      steps_(board, spec_, costs_, host_, accounting_),
      requests_(requests_of(board, spec_, identity, accounting_.time())) {
  accounting_.open_tracks(identity);
}

sim::Process Inference::body() {
  if (spec_.setup) {  // one stretch of work
    co_await host_.run(setup_of(costs_.runtime, spec_));
    accounting_.ready();
  }
  const LoopEnd end = co_await loop_of(spec_, steps_, requests_);
  host_.retire();
  if (end == LoopEnd::no_more_requests) co_return;
  accounting_.finished();
  engine_.stop();
}

void Inference::end_warmup() {
  accounting_.end_warmup();
  throttled_before_ = throttled_so_far();
  std::visit([](auto& requests) { requests.end_warmup(); }, requests_);
  if (auto* stream = std::get_if<Stream>(&steps_.executor())) stream->context().end_warmup();
}

gpu::Running Inference::running() {
  auto* stream = std::get_if<Stream>(&steps_.executor());
  return stream != nullptr ? stream->context().running() : gpu::Running{};
}

std::int64_t Inference::drops() const {
  return std::visit([](const auto& requests) { return requests.drops(); }, requests_);
}

std::int64_t Inference::waiting() {
  struct Of {
    sim::Time now;
    std::int64_t operator()(RequestQueue& queue) const { return queue.waiting(now); }
    std::int64_t operator()(RemoteClient& client) const { return client.waiting(); }
  };
  return std::visit(Of{engine_.now()}, requests_);
}

cpu::ThreadStatistics Inference::of_team() const {
  const auto* team = std::get_if<ThreadTeam>(&steps_.executor());
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
