// The metrics of a process: its answered requests (Served), its calls and stages, the use of its time
// (TimeAccount), and its tracks on the timeline. Other classes report each event here at the instant it
// happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/identity.hpp"
#include "models/process/served.hpp"
#include "models/process/spec.hpp"
#include "models/process/time_account.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::process {

class Accounting {
 public:
  // `spec` and the board must outlive the accounting.
  Accounting(const BoardParts& board, const Spec& spec, const Costs& costs);

  // Opens its tracks. A timeline shows tracks in the order in which they were opened.
  void open_tracks(const Identity& identity);

  // Events that have just happened.
  void ready() { ready_ = engine_.now(); }  // the set-up was done
  void enqueued() { ++enqueue_calls_; }
  void synchronised(sim::Time entered);
  void stage_done(std::size_t stage, sim::Time begun);  // stages before inference come first
  void in_stage(std::size_t stage, sim::Duration passed) { in_stages_[stage] += passed; }
  void serving(bool full) { served_.serving(full); }  // a batch begins (only if one by one)
  // A batch of `images` is done. `made`: when its requests were made.
  void batch_done(std::span<const sim::Time> made, std::int64_t images);
  void finished() { finished_ = engine_.now(); }  // the last batch is done

  // Forgets the past: the warm-up ends.
  void end_warmup();

  [[nodiscard]] TimeAccount& time() { return time_; }
  [[nodiscard]] const TimeAccount& time() const { return time_; }
  [[nodiscard]] Served& served() { return served_; }
  [[nodiscard]] const Served& served() const { return served_; }
  [[nodiscard]] std::int64_t enqueue_calls() const { return enqueue_calls_; }
  [[nodiscard]] std::int64_t synchronise_calls() const { return synchronise_calls_; }
  [[nodiscard]] sim::Duration synchronising() const { return synchronising_; }  // time in all calls together
  [[nodiscard]] const std::vector<sim::Duration>& in_stages() const { return in_stages_; }
  [[nodiscard]] std::optional<sim::Time> ready_at() const { return ready_; }
  [[nodiscard]] std::optional<sim::Time> finished_at() const { return finished_; }

 private:
  sim::Engine& engine_;
  const Spec& spec_;
  sim::Duration answer_time_;  // time from a batch's end until the client has the answer; zero on the board
  TimeAccount time_;
  Served served_;
  std::int64_t enqueue_calls_ = 0, synchronise_calls_ = 0;
  sim::Duration synchronising_;
  std::vector<sim::Duration> in_stages_;
  std::optional<sim::Time> ready_, finished_;
  sim::TrackId stage_track_ = sim::TrackId::none;
};

}  // namespace jostle::process
