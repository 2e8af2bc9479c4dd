// Answered requests of a process, or of one of its instances: their rate and latencies, and their track on
// the timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "models/process/queries.hpp"
#include "models/process/spec.hpp"
#include "sim/batch_means.hpp"
#include "sim/engine.hpp"
#include "sim/observations.hpp"
#include "sim/trace.hpp"

namespace jostle::process {

class Served {
 public:
  // `arrivals` describes the requests. `answer_time`: time from a batch's end until the client has the
  // answer. The engine must outlive it.
  Served(sim::Engine& engine, const Arrivals& arrivals, sim::Duration answer_time);

  // Opens a track with this name on the timeline, where its batches are drawn.
  void open_track(const std::string& name);

  // A batch begins; called only if batches are done one by one. `full`: the batch is as large as it can be.
  void serving(bool full);
  [[nodiscard]] bool is_serving() const { return serving_; }
  // A batch of `images` is done. `made`: when its requests were made, which is when their queries were.
  void answered(std::span<const sim::Time> made, std::int64_t images);
  // Forgets the past: the warm-up ends.
  void end_warmup();

  [[nodiscard]] const sim::RateMeans& rate() const { return rate_; }               // images/s
  [[nodiscard]] const sim::Observations& latencies() const { return latencies_; }  // seconds, of queries
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  [[nodiscard]] std::int64_t images() const { return images_; }
  // Images of full batches, and the time from when the process turned to each such batch until it was done. A
  // batch that is not full follows its requests, and does not show how many could be served. Both are zero if
  // batches are enqueued ahead.
  [[nodiscard]] std::int64_t full_images() const { return full_images_; }
  [[nodiscard]] sim::Duration in_full_batches() const { return in_full_batches_; }
  // Time at which the last batch that was not full began: no request was left waiting then.
  [[nodiscard]] std::optional<sim::Time> not_full_at() const { return not_full_at_; }

 private:
  sim::Engine& engine_;
  sim::Duration answer_time_;
  sim::RateMeans rate_;
  sim::Observations latencies_;
  Queries queries_;
  std::int64_t batches_ = 0, images_ = 0, full_images_ = 0;
  sim::Duration in_full_batches_;
  bool serving_ = false;                 // a batch is under way
  std::optional<sim::Time> full_since_;  // start of the full batch under way; none: it is not full
  std::optional<sim::Time> not_full_at_;
  sim::TrackId track_ = sim::TrackId::none;
  sim::Time drawn_until_;  // end of the last batch on the timeline
};

}  // namespace jostle::process
