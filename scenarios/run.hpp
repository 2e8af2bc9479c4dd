// Simulates a scenario on its board and gives the answer.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>

#include "calibration/profile/profile.hpp"
#include "scenarios/result.hpp"
#include "scenarios/scenario.hpp"
#include "sim/trace.hpp"

namespace jostle::scenarios {

// The run could not go on: stuck, with who waits on whom, or something that this build cannot simulate.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RunControl {
  const std::atomic<bool>* interrupt = nullptr;  // raised from outside: leave off
  sim::TraceSink* trace = nullptr;               // where the timeline goes; it outlives the run
  std::function<void(double done)> progress;  // called now and then with the share done, 0 to 1; may be empty
};

// The answer; none if it was interrupted. Throws RunError.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const RunControl& control);

// The same on a profile that is at hand, rather than the one that the scenario names: a changed one, say.
[[nodiscard]] std::optional<Result> run(const Scenario& scenario, const calibration::Profile& profile,
                                        const RunControl& control);

// The answer without a run: what each process and the board hold in memory, and who does not fit. Throws
// RunError.
[[nodiscard]] Result preview(const Scenario& scenario);

}  // namespace jostle::scenarios
