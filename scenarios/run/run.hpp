// Simulates a scenario on its board and returns the result.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "input/interruption.hpp"
#include "models/process/arrival_spec.hpp"
#include "scenarios/result/result.hpp"
#include "sim/trace.hpp"

namespace jostle::scenarios {
struct Scenario;
struct SharedWork;
}  // namespace jostle::scenarios

namespace jostle::profiles {
struct Profile;
}

namespace jostle::scenarios {

// Thrown if the run cannot continue: it is stuck (the message names who waits for what), or this build cannot
// simulate the scenario.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if a run is stopped (RunControl::interrupt) and a partial result is not possible.
using input::Interrupted;

// The runs among which this one is. Steady streams repeat their batches as soon as the mean is known to 0.06
// % in a run alone, 0.2 % in one of several repetitions, whose spread tells its error, or of several that are
// changed by a per cent or more each, and 0.4 % in one of several on drawn profiles (gpu::SteadyLoops).
enum class Among : std::uint8_t { none, changes, repetitions, draws };

struct RunControl {
  const std::atomic<bool>* interrupt = nullptr;  // set from outside to stop the run
  sim::TraceSink* trace = nullptr;               // sink of the timeline; must outlive the run
  std::vector<std::vector<process::Answered>>* answered = nullptr;  // out: all answered requests, by process
  // Requests answered in another run, by process; they replace the scenario's arrivals. Each keeps the time
  // at which it was made there, and arrives here at the time at which it was answered there.
  const std::vector<std::vector<process::Answered>>* requests = nullptr;
  // True: also reports percentiles for which one run has too few requests; used when runs are replicated.
  bool every_percentile = false;
  SharedWork* shared = nullptr;  // shared with other runs on the same profile; null: with none
  Among among = Among::none;
  bool all_must_fit = false;  // true: if a process does not fit into memory, reports it and simulates nothing
  // Called before the simulation with an estimate of its total CPU time in seconds
  // (scenarios/run/cpu_time.hpp); may be empty.
  std::function<void(double cpu_seconds)> expected = {};
  std::function<void(double done)> progress;  // called now and then with the share done, 0 to 1; may be empty
};

// Runs the scenario. Absent if it was interrupted. Throws RunError.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const RunControl& control);

// Does the same with a given profile (for example a modified one) instead of the one that the scenario names.
// The scenario's overrides (`figures`) are then ignored.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const profiles::Profile& profile,
                                        const RunControl& control);

// The result without a run: the memory that each process and the board hold, and the processes that do not
// fit. Throws RunError.
[[nodiscard]] Result preview(const Scenario& scenario);

}  // namespace jostle::scenarios
