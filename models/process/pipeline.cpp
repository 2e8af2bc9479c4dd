#include "models/process/pipeline.hpp"

namespace jostle::process {
namespace {

Spec without_stages(const Spec& spec) {
  Spec inner = spec;
  inner.before.clear();
  inner.after.clear();
  inner.arrivals = Arrivals{};
  inner.arrivals.kind = ArrivalKind::cascade;
  inner.arrivals.max_delay = spec.arrivals.max_delay;
  return inner;
}

// The queue at the entrance forms no batches.
Arrivals unbatched(const Arrivals& arrivals) {
  Arrivals single = arrivals;
  single.max_delay.reset();
  return single;
}

}  // namespace

Pipeline::Pipeline(const BoardParts& board, const Spec& spec, const Costs& costs,
                   std::deque<HostThread>& hosts, Accounting& accounting)
    : engine_(board.engine),
      spec_(spec),
      inner_(without_stages(spec)),
      server_(board, inner_, costs, hosts, accounting),
      before_(board, spec, costs, accounting, false),
      after_(board, spec, costs, accounting, true),
      most_(spec.overlap * (spec.arrivals.max_delay ? spec.batch : 1)),
      each_(spec.arrivals.max_delay ? 1 : spec.batch) {
  server_.hand_on_to(after_);
}

void Pipeline::open(const Identity& identity) {
  if (!spec_.arrivals.closed_loop()) requests_.emplace(unbatched(spec_.arrivals), arrivals_random(identity));
  server_.open(identity);
  before_.open(identity, {.reached =
                              [](void* self, const Passing& passing) {
                                static_cast<Pipeline*>(self)->server_.deliver(0, passing.made.front());
                              },
                          .context = this});
  after_.open(
      identity,
      {.reached = [](void* self, const Passing& passing) { static_cast<Pipeline*>(self)->left(passing); },
       .context = this});
}

sim::Task<> Pipeline::drain(HostThread& host) {
  host.set_phase(Phase::idle);
  while (!after_.empty()) {
    passed_.reset();
    co_await host.sleep_until(passed_);
  }
}

void Pipeline::end_warmup() {
  server_.end_warmup();
  if (requests_) requests_->end_warmup();
}

// Lets in what waits while there is room, and looks again when the next request comes. What it serves while
// it is full shows how much it could serve.
void Pipeline::let_in() {
  engine_.cancel(timer_);
  while (under_way_ < most_) {
    const std::optional<sim::Time> made = requests_ ? requests_->take(engine_.now()) : engine_.now();
    if (!made) break;
    enter(*made);
  }
  if (!requests_) return;
  server_.serving(under_way_ == most_);
  if (under_way_ < most_ && requests_->next() != sim::Time::never())
    timer_ = engine_.schedule(requests_->next(), sim::action<&Pipeline::let_in>(*this));
}

void Pipeline::enter(sim::Time made) {
  ++under_way_;
  before_.put({.made = {made}, .images = each_});
}

void Pipeline::left(const Passing& passing) {
  passing.of->answered(passing.made, passing.images);
  if (spec_.arrivals.kind == ArrivalKind::clients)
    for (const sim::Time made : passing.made) requests_->answered(made, engine_.now());
  under_way_ -= static_cast<std::int64_t>(passing.made.size());
  passed_.set();
  let_in();
}

}  // namespace jostle::process
