// One run of a scenario, from beginning to end: the engine, the board on it and the observers.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/dvfs.hpp"
#include "models/board/gpu_windows.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/heat.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/stability.hpp"
#include "scenarios/run/steadiness.hpp"
#include "sim/engine.hpp"

namespace jostle::scenarios {

struct Scenario;

class Simulation {
 public:
  // Simulates the processes that fit. The references must outlive this object.
  Simulation(const Scenario& scenario, const Assembly& assembly, const RunControl& control);

  // Runs to the end; returns false if it was interrupted. Throws RunError if it is stuck.
  [[nodiscard]] bool run();

  // Call after run(). Measures anew for `duration` from the end of the last measurement, with all queues,
  // clocks and temperatures as they are. Return value and errors are those of run().
  [[nodiscard]] bool go_on(sim::Duration duration);

  // Adds the metrics of the board and of the processes that are `ok`. Call after run().
  void add_metrics(Result& result) { add_metrics(result, control_.every_percentile); }
  void add_metrics(Result& result, bool every_percentile);

  // The temperature and power at which the board settles under this load; absent without thermal parameters.
  // Call after run().
  [[nodiscard]] std::optional<Heat> heat();
  // The end of the first transient: found_warmup_s().
  [[nodiscard]] std::optional<double> found_warmup();

 private:
  [[nodiscard]] bool advance_to(sim::Time time);
  [[nodiscard]] bool ended();
  [[nodiscard]] bool look();
  [[nodiscard]] bool precise(const Window& window);
  [[nodiscard]] Window window() const {
    return {std::min(warm_, engine_.now()), engine_.now()};  // a run may end during its warm-up
  }
  [[nodiscard]] double link_load(const Window& window);
  void end_warmup();
  [[nodiscard]] bool work_off();
  [[nodiscard]] double needed_s();

  const Scenario& scenario_;
  const Assembly& assembly_;
  const RunControl& control_;
  sim::Engine engine_;
  std::optional<board::Board> board_;
  std::optional<board::Dvfs> dvfs_;
  std::optional<board::GpuWindows> windows_;
  sim::Time warm_, end_;
  sim::Duration step_;  // short enough to show progress and to stop early
  sim::Time next_step_;
  std::optional<ThroughputSeries> throughput_;
  sim::Time next_look_;    // time of the next check of the precision; never: not requested
  int precise_looks_ = 0;  // number of successive checks that found the run precise
  std::vector<std::vector<std::int64_t>> waited_;  // requests at the end of the warm-up, by process and part
  std::string stop_;                               // cause of the end of the run
};

}  // namespace jostle::scenarios
