// Simulates a scenario on its board and returns the result.
#pragma once

#include <atomic>
#include <exception>
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

namespace jostle::calibration {
struct Profile;
}

namespace jostle::scenarios {

// The run could not continue: it is stuck (the message names who waits for what), or this build cannot
// simulate the scenario.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown where a run is stopped (RunControl::interrupt) and a partial result is not possible.
using input::Interrupted;

struct RunControl {
  const std::atomic<bool>* interrupt = nullptr;  // set from outside to stop the run
  sim::TraceSink* trace = nullptr;               // sink of the timeline; must outlive the run
  std::vector<std::vector<process::Answered>>* answered = nullptr;  // by process: all answered requests
  // By process, instead of the scenario's arrivals: requests answered in another run. Each was made at its
  // time there and arrives here at the time at which it was answered there.
  const std::vector<std::vector<process::Answered>>* requests = nullptr;
  // Percentiles also of requests too few for one run to tell them: for those who replicate runs.
  bool every_percentile = false;
  SharedWork* shared = nullptr;  // with other runs on the same profile; null: with none
  bool all_must_fit = false;     // if a process does not fit into memory, report it and simulate nothing
  // Called before anything is simulated with the CPU time that all of it may take, in seconds
  // (scenarios/run/cpu_time.hpp); may be empty.
  std::function<void(double cpu_seconds)> expected = {};
  std::function<void(double done)> progress;  // called now and then with the share done, 0 to 1; may be empty
};

// The result; none if it was interrupted. Throws RunError.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const RunControl& control);

// The same with a given profile (for example a modified one) instead of the one that the scenario names. The
// scenario's own `figures` are then ignored.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const calibration::Profile& profile,
                                        const RunControl& control);

// The result without a run: what each process and the board hold in memory, and which processes do not fit.
// Throws RunError.
[[nodiscard]] Result preview(const Scenario& scenario);

}  // namespace jostle::scenarios
