// Simulates a scenario on its board and gives the answer.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/trace.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::scenarios {

// The run could not go on: stuck, with who waits on whom, or something that this build cannot simulate.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Left off because it was told to (RunControl::interrupt), where there is no half an answer to give.
struct Interrupted : std::exception {};

struct RunControl {
  const std::atomic<bool>* interrupt = nullptr;  // raised from outside: leave off
  sim::TraceSink* trace = nullptr;               // where the timeline goes; it outlives the run
  std::vector<std::vector<process::Answered>>* answered = nullptr;  // by process: every request answered
  // By process, in place of the scenario's arrivals: what another run answered, made when it was there and
  // here from when it was answered.
  const std::vector<std::vector<process::Answered>>* requests = nullptr;
  bool all_must_fit = false;  // where a process does not fit into memory, say so and simulate nothing
  std::function<void(double done)> progress;  // called now and then with the share done, 0 to 1; may be empty
};

// The answer; none if it was interrupted. Throws RunError.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const RunControl& control);

// The same on a profile that is at hand, rather than the one that the scenario names: a changed one, say. The
// scenario's own `figures` are then left aside.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const calibration::Profile& profile,
                                        const RunControl& control);

// The answer without a run: what each process and the board hold in memory, and who does not fit. Throws
// RunError.
[[nodiscard]] Result preview(const Scenario& scenario);

}  // namespace jostle::scenarios
