// A running engine: serves one picture after the other, first come first served, whoever asks.
#pragma once

#include <cstdint>
#include <deque>

#include "models/media/spec.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::media {

enum class JobState : std::uint8_t { waiting, running, finished };

// Called at every change of the job's state, at the instant of the change. It may submit another job.
struct JobListener {
  void (*changed)(void* context, JobState state) = nullptr;
  void* context = nullptr;
};

class Engine {
 public:
  // `engine` must outlive it, and not run after it is gone.
  Engine(sim::Engine& engine, Kind kind);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void submit(sim::Duration time, const JobListener& listener);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] sim::Duration busy() const;  // up to now

 private:
  struct Job {
    sim::Duration time;
    JobListener listener;
  };
  void start();
  void done();

  sim::Engine& engine_;
  Kind kind_;
  std::deque<Job> queue_;  // the first is running
  sim::Time begun_;
  sim::Duration busy_;  // by finished jobs
  sim::TrackId track_ = sim::TrackId::none;
};

}  // namespace jostle::media
