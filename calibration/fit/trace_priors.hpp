// Priors of the parameters that traces of a shared GPU determine. For any device they are published ranges;
// for a device like a shipped one, they are the value of its profile and the possible difference between the
// two devices.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "calibration/fit/robust.hpp"
#include "input/csv.hpp"

namespace jostle::calibration {

struct TracePrior {
  std::string_view path;  // path of the parameter in a profile
  std::string_view unit;  // unit of `centre` and of estimates
  double centre = 1;
  double sd = 0.7;    // standard deviation of the logarithm
  double range = 10;  // the fit stays within centre / range and centre x range
  std::string_view source;
  double between_devices = 0.3;  // replaces `sd` if the centre is the value of a like device
  std::string_view between_source = {};
  bool near = false;  // true: the centre is the value of a like device

  // The prior for a device like one whose profile has `value`, as written there. Unchanged if the value is
  // zero.
  [[nodiscard]] TracePrior around(std::string_view value) const;
};

// All priors, in the order of a profile. No centre is a value that a shipped profile was fitted to.
[[nodiscard]] std::span<const TracePrior> trace_priors();

// The combination of an estimate and its prior: the mean of their logarithms, weighted by the inverse
// variances. `variance_left` is the remaining share of the prior's variance.
struct Posterior {
  Estimate estimate;
  double variance_left = 1;
};
// The posterior of `found`, whose value must be positive.
[[nodiscard]] Posterior with_prior(const Estimate& found, const TracePrior& prior);

// Fixed time of a kernel in microseconds, from kernels.csv: time of a kernel of one block minus `start_us`,
// the part that takes a number of clock cycles.
[[nodiscard]] std::optional<Estimate> kernel_fixed(const input::CsvTable& kernels, double start_us);

// The cost of an idle GPU, in microseconds, from open_loop_periodic.csv: requests of a single process take
// longer if they are so rare that the GPU has been idle for long. `after` is between the longest idle time
// without that cost and the shortest one with it.
struct IdleEstimates {
  std::optional<Estimate> after, cost;
};
// Ignores rows of more than one process.
[[nodiscard]] IdleEstimates idle_wake(const input::CsvTable& open_loop);

}  // namespace jostle::calibration
