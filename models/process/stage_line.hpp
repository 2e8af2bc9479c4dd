// Stages that threads of their own do, joined by queues, as elements of GStreamer and DeepStream or nodes of
// ROS 2 are: while one works on a picture, the stage behind it works on an earlier one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/cpu/cpu.hpp"
#include "models/process/accounting.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/identity.hpp"
#include "models/process/spec.hpp"
#include "sim/process.hpp"
#include "sim/random.hpp"

namespace jostle::process {

class BatchSteps;

// The images that pass from stage to stage: those of requests that were made at `made`.
struct Passing {
  std::vector<sim::Time> made;
  std::int64_t images = 0;
  BatchSteps* of = nullptr;  // after inference: the steps of the stream that computed them
};

class StageLine {
 public:
  // Called when something has passed all stages.
  struct End {
    void (*reached)(void* context, const Passing& passing) = nullptr;
    void* context = nullptr;
  };

  // The stages before inference, or those after it. All arguments must outlive the line.
  StageLine(const BoardParts& board, const Spec& spec, const Costs& costs, Accounting& accounting,
            bool after);
  StageLine(const StageLine&) = delete;
  StageLine& operator=(const StageLine&) = delete;
  // Creates the threads. Call it once, before anything runs.
  void open(const Identity& identity, const End& end);

  // Lets it in. Without stages it is at the end at once.
  void put(Passing passing) {
    ++inside_;
    put(0, std::move(passing));
  }
  // True if nothing is between its entrance and its end.
  [[nodiscard]] bool empty() const { return inside_ == 0; }

  // Sums over the threads; `throttled`: the maximum over them.
  [[nodiscard]] cpu::ThreadStatistics statistics() const;

 private:
  struct Worker {
    Worker(std::size_t of, const sim::RandomStream& random, double variation)
        : station(of), factors(random, variation) {}
    std::size_t station;
    sim::LognormalFactors factors;
    cpu::ThreadId thread;
    cpu::Flag go, engine_done;
    bool idle = false;
    cpu::State state = cpu::State::sleeping;
    media::JobState job = media::JobState::finished;  // also if there is none
    Share share = Share::idle;                        // as the time account knows it
    StageLine* line = nullptr;
    sim::TrackId track = sim::TrackId::none;
  };
  struct Station {
    std::deque<Passing> waiting;
    std::deque<Worker> workers;
  };

  void put(std::size_t station, Passing passing);
  [[nodiscard]] sim::Process work(Worker& worker);
  void changed(Worker& worker);
  [[nodiscard]] sim::Task<> on_engine(Worker& worker, media::Kind kind, sim::Duration time);

  BoardParts board_;
  const Spec& spec_;
  const Costs& costs_;
  Accounting& accounting_;
  const std::vector<HostStage>& stages_;
  std::size_t first_;  // index of the first of the stages in Accounting::in_stages()
  std::deque<Station> stations_;
  std::int64_t inside_ = 0;
  End end_;
};

}  // namespace jostle::process
