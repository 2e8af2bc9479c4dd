// One simulation, measured in successive windows. Each begins with the queues, clocks and temperatures that
// the previous one left.
#pragma once

#include <memory>
#include <optional>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"
#include "sim/time.hpp"

namespace jostle::scenarios {

class Windows {
 public:
  // `run.duration` of the scenario is the length of a window; the warm-up comes before the first one. Throws
  // RunError.
  Windows(const Scenario& scenario, const profiles::Profile& profile, const RunControl& control);
  ~Windows();
  Windows(Windows&&) noexcept;
  Windows& operator=(Windows&&) noexcept;

  // The result of the next window; with RunControl::all_must_fit, nothing is simulated if a process does not
  // fit into memory. Absent if it was interrupted. Throws RunError.
  [[nodiscard]] std::optional<Result> next();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace jostle::scenarios
