// The figures of a process: its rate and latencies, its calls and stages, where its time goes (TimeAccount),
// and its tracks on the timeline. Who does something says so here at the instant it is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/identity.hpp"
#include "models/process/spec.hpp"
#include "models/process/time_account.hpp"
#include "sim/engine.hpp"
#include "sim/statistics.hpp"
#include "sim/trace.hpp"

namespace jostle::process {

class Accounting {
 public:
  // `spec` and the board must outlive it.
  Accounting(const BoardParts& board, const Spec& spec, const Costs& costs);

  // Opens its tracks. A timeline shows tracks in the order in which they were opened.
  void open_tracks(const Identity& identity);

  // What has just happened.
  void ready() { ready_ = engine_.now(); }  // the set-up was done
  void enqueued() { ++enqueue_calls_; }
  void synchronised(sim::Time entered);
  void stage_done(std::size_t stage, sim::Time begun);  // those before inference come first
  void serving() { serving_since_ = engine_.now(); }    // begins with a request, one by one
  void batch_done(sim::Time made);                      // a batch of a request that was made then
  void finished() { finished_ = engine_.now(); }        // the last batch

  // Forgets the past: the warm-up ends.
  void end_warmup();

  [[nodiscard]] TimeAccount& time() { return time_; }
  [[nodiscard]] const TimeAccount& time() const { return time_; }
  [[nodiscard]] const sim::RateMeans& rate() const { return rate_; }         // images/s
  [[nodiscard]] const sim::Quantiles& latency() const { return latency_; }   // seconds
  [[nodiscard]] const sim::Series& latencies() const { return latencies_; }  // likewise, in their order
  [[nodiscard]] std::int64_t enqueue_calls() const { return enqueue_calls_; }
  [[nodiscard]] std::int64_t synchronise_calls() const { return synchronise_calls_; }
  [[nodiscard]] sim::Duration synchronising() const { return synchronising_; }  // in all calls together
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  // Of those batches, from when the process turned to each to when it was done; zero where one is ahead.
  [[nodiscard]] sim::Duration in_service() const { return in_service_; }
  [[nodiscard]] const std::vector<sim::Duration>& in_stages() const { return in_stages_; }
  [[nodiscard]] std::optional<sim::Time> ready_at() const { return ready_; }
  [[nodiscard]] std::optional<sim::Time> finished_at() const { return finished_; }

 private:
  sim::Engine& engine_;
  const Spec& spec_;
  sim::Duration answer_time_;  // from a batch's end to whoever asked; zero on the board
  TimeAccount time_;
  sim::RateMeans rate_;
  sim::Quantiles latency_;
  sim::Series latencies_;
  std::int64_t enqueue_calls_ = 0, synchronise_calls_ = 0, batches_ = 0;
  sim::Duration synchronising_, in_service_;
  std::optional<sim::Time> serving_since_;
  std::vector<sim::Duration> in_stages_;
  std::optional<sim::Time> ready_, finished_;
  sim::TrackId track_ = sim::TrackId::none, stage_track_ = sim::TrackId::none;
  sim::Time drawn_until_;  // on the timeline
};

}  // namespace jostle::process
