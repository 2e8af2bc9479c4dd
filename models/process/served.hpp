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

  void serving() { serving_since_ = engine_.now(); }  // begins with a batch, one by one
  [[nodiscard]] bool is_serving() const { return serving_since_.has_value(); }
  // A batch of `images` is done; its requests were made then.
  void answered(std::span<const sim::Time> made, std::int64_t images);
  // Forgets the past: the warm-up ends.
  void end_warmup();

  [[nodiscard]] const sim::RateMeans& rate() const { return rate_; }               // images/s
  [[nodiscard]] const sim::Observations& latencies() const { return latencies_; }  // seconds
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  [[nodiscard]] std::int64_t images() const { return images_; }
  // Of those batches, from when the process turned to each to when it was done; zero where one is ahead.
  [[nodiscard]] sim::Duration in_service() const { return in_service_; }

 private:
  sim::Engine& engine_;
  sim::Duration answer_time_;
  sim::RateMeans rate_;
  sim::Observations latencies_;
  std::int64_t batches_ = 0, images_ = 0;
  sim::Duration in_service_;
  std::optional<sim::Time> serving_since_;
  sim::TrackId track_ = sim::TrackId::none;
  sim::Time drawn_until_;  // on the timeline
};

}  // namespace jostle::process
