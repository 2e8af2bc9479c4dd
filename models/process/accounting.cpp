#include "models/process/accounting.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::process {

using sim::Duration;
using sim::Time;

namespace {

// Of the times between requests, of `dynamic_batch` arrivals each.
double variation_of(const Arrivals& arrivals) {
  if (arrivals.kind != ArrivalKind::poisson) return 0;
  return 1 / std::sqrt(static_cast<double>(arrivals.dynamic_batch));
}

}  // namespace

Accounting::Accounting(const BoardParts& board, const Spec& spec, const Costs& costs)
    : engine_(board.engine),
      spec_(spec),
      answer_time_(board.link ? board.link->answer_time() : Duration::zero()),
      time_(board.engine, costs.runtime.api_share),
      rate_(variation_of(spec.arrivals)),
      in_stages_(spec.before.size() + spec.after.size()) {}

void Accounting::open_tracks(const Identity& identity) {
  sim::TraceSink* const trace = engine_.trace();
  if (trace == nullptr) return;
  track_ = trace->track(identity.named(spec_.name));
  if (!in_stages_.empty()) stage_track_ = trace->track(identity.named(spec_.name + " stages"));
}

void Accounting::synchronised(Time entered) {
  synchronising_ += engine_.now() - entered;
  ++synchronise_calls_;
}

void Accounting::stage_done(std::size_t stage, Time begun) {
  const Duration passed = engine_.now() - begun;
  in_stages_[stage] += passed;
  if (sim::TraceSink* trace = engine_.trace()) {
    const std::size_t first_after = spec_.before.size();
    const HostStage& done = stage < first_after ? spec_.before[stage] : spec_.after[stage - first_after];
    trace->slice(stage_track_, begun, passed, done.name);
  }
}

void Accounting::batch_done(Time made) {
  const Time now = engine_.now();
  const Time answered = now + answer_time_;
  rate_.add(now, static_cast<double>(spec_.batch));
  latency_.add(sim::to_seconds(answered - made));
  latencies_.add(sim::to_seconds(answered - made));
  if (spec_.answered != nullptr) spec_.answered->push_back({made, answered});
  ++batches_;
  if (serving_since_) in_service_ += now - *serving_since_;
  serving_since_.reset();
  engine_.progress();
  if (sim::TraceSink* trace = engine_.trace()) {
    // Batches overlap by one: on the timeline a batch is drawn from when the one before it was done.
    const Time from = std::max(made, drawn_until_);
    trace->slice(track_, from, now - from, "batch");
    drawn_until_ = now;
  }
}

void Accounting::end_warmup() {
  time_.clear();
  rate_.clear(engine_.now());
  latency_.clear();
  latencies_.clear();
  enqueue_calls_ = synchronise_calls_ = batches_ = 0;
  synchronising_ = in_service_ = Duration::zero();
  in_stages_.assign(in_stages_.size(), Duration::zero());
}

}  // namespace jostle::process
