#include "models/process/accounting.hpp"

namespace jostle::process {

using sim::Duration;
using sim::Time;

Accounting::Accounting(const BoardParts& board, const Spec& spec, const Costs& costs)
    : engine_(board.engine),
      spec_(spec),
      answer_time_(board.link ? board.link->answer_time() : Duration::zero()),
      time_(board.engine, costs.runtime.api_share),
      served_(board.engine, spec.arrivals, answer_time_),
      in_stages_(spec.before.size() + spec.after.size()) {}

void Accounting::open_tracks(const Identity& identity) {
  sim::TraceSink* const trace = engine_.trace();
  if (trace == nullptr) return;
  // If it serves instances, each has a track of its own instead of this one.
  if (!serves_instances(spec_)) served_.open_track(identity.named(spec_.name));
  if (!in_stages_.empty() && spec_.overlap == 0)
    stage_track_ = trace->track(identity.named(spec_.name + " stages"));
}

void Accounting::synchronised(Time entered) {
  synchronising_ += engine_.now() - entered;
  ++synchronise_calls_;
}

void Accounting::stage_done(std::size_t stage, Time begun) {
  const Duration passed = engine_.now() - begun;
  in_stage(stage, passed);
  if (sim::TraceSink* trace = engine_.trace()) {
    const std::size_t first_after = spec_.before.size();
    const HostStage& done = stage < first_after ? spec_.before[stage] : spec_.after[stage - first_after];
    trace->slice(stage_track_, begun, passed, done.name);
  }
}

void Accounting::batch_done(std::span<const Time> made, std::int64_t images) {
  served_.answered(made, images);
  if (spec_.answered != nullptr)
    for (const Time request : made) spec_.answered->push_back({request, engine_.now() + answer_time_});
  engine_.progress();
}

void Accounting::end_warmup() {
  time_.clear();
  served_.end_warmup();
  enqueue_calls_ = synchronise_calls_ = 0;
  synchronising_ = Duration::zero();
  in_stages_.assign(in_stages_.size(), Duration::zero());
}

}  // namespace jostle::process
