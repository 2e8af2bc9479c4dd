// What a process, or one of its instances, has answered: its rate and latencies, and its track on the
// timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "models/process/spec.hpp"
#include "sim/engine.hpp"
#include "sim/observations.hpp"
#include "sim/statistics.hpp"
#include "sim/trace.hpp"

namespace jostle::process {

class Served {
 public:
  // Of requests as `arrivals` say. `answer_time`: from a batch's end to whoever asked. The engine must
  // outlive it.
  Served(sim::Engine& engine, const Arrivals& arrivals, sim::Duration answer_time);

  // On the timeline its batches are drawn under this name.
  void open_track(const std::string& name);

  // Begins with a batch, one by one. `full`: of as much as it can take.
  void serving(bool full);
  [[nodiscard]] bool is_serving() const { return serving_; }
  // A batch of `images` is done; its requests were made then.
  void answered(std::span<const sim::Time> made, std::int64_t images);
  // Forgets the past: the warm-up ends.
  void end_warmup();

  [[nodiscard]] const sim::RateMeans& rate() const { return rate_; }               // images/s
  [[nodiscard]] const sim::Observations& latencies() const { return latencies_; }  // seconds
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  [[nodiscard]] std::int64_t images() const { return images_; }
  // The images of full batches, and the time from when the process turned to each to when it was done. A
  // batch that is not full follows its requests, and does not tell how many could be served. Zero where one
  // is ahead.
  [[nodiscard]] std::int64_t full_images() const { return full_images_; }
  [[nodiscard]] sim::Duration in_full_batches() const { return in_full_batches_; }
  // When the last batch that was not full began: then nobody was left waiting.
  [[nodiscard]] std::optional<sim::Time> not_full_at() const { return not_full_at_; }

 private:
  sim::Engine& engine_;
  sim::Duration answer_time_;
  sim::RateMeans rate_;
  sim::Observations latencies_;
  std::int64_t batches_ = 0, images_ = 0, full_images_ = 0;
  sim::Duration in_full_batches_;
  bool serving_ = false;                 // a batch is under way
  std::optional<sim::Time> full_since_;  // of what is under way; none: it is not full
  std::optional<sim::Time> not_full_at_;
  sim::TrackId track_ = sim::TrackId::none;
  sim::Time drawn_until_;  // on the timeline
};

}  // namespace jostle::process
