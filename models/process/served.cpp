#include "models/process/served.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::process {

using sim::Time;

namespace {

// Coefficient of variation of the times between batches, were they independent; 0 unless requests are
// Poisson. A batch waits for `dynamic_batch` requests; requests that come as queries of n vary as much as n
// times as few would.
double variation_of(const Arrivals& arrivals) {
  if (arrivals.kind != ArrivalKind::poisson) return 0;
  const std::int64_t together = arrivals.max_delay ? 1 : arrivals.burst;
  return std::sqrt(static_cast<double>(together) / static_cast<double>(arrivals.dynamic_batch));
}

}  // namespace

Served::Served(sim::Engine& engine, const Arrivals& arrivals, sim::Duration answer_time)
    : engine_(engine), answer_time_(answer_time), rate_(variation_of(arrivals)), queries_(arrivals.burst) {}

void Served::open_track(const std::string& name) {
  if (sim::TraceSink* const trace = engine_.trace()) track_ = trace->track(name);
}

// A language model takes several steps per answer: the time as full goes on from one full step to the next.
void Served::serving(bool full) {
  serving_ = true;
  if (!full) {
    full_since_.reset();
    not_full_at_ = engine_.now();
  } else if (!full_since_) {
    full_since_ = engine_.now();
  }
}

void Served::answered(std::span<const Time> made, std::int64_t images) {
  const Time now = engine_.now();
  const Time answered = now + answer_time_;
  rate_.add(now, static_cast<double>(images));
  for (const Time request : made)
    if (queries_.answered(request)) latencies_.add(sim::to_seconds(answered - request));
  serving_ = false;
  ++batches_;
  images_ += images;
  if (full_since_) {
    full_images_ += images;
    in_full_batches_ += now - *full_since_;
  }
  full_since_.reset();
  sim::TraceSink* const trace = engine_.trace();
  if (trace == nullptr || track_ == sim::TrackId::none) return;
  // Batches overlap by one: on the timeline a batch is drawn from when the one before it was done.
  const Time from = std::max(made.front(), drawn_until_);
  trace->slice(track_, from, now - from, "batch");
  drawn_until_ = now;
}

void Served::end_warmup() {
  rate_.clear(engine_.now());
  latencies_.clear();
  batches_ = images_ = full_images_ = 0;
  in_full_batches_ = sim::Duration::zero();
}

}  // namespace jostle::process
