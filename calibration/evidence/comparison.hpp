// Comparisons of predicted with measured values, and their error statistics.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/evidence/run_configuration.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::calibration {

// One measured value of a run. `quantity` groups values of a kind, e.g. "images/s", "p50".
struct Comparison {
  std::string run;  // e.g. "c002 resnet50 fp16 b1 x8, process 3"
  std::string quantity;
  double measured = 0;
  double predicted = 0;
  std::optional<bool> covered = std::nullopt;  // `measured` is in the 90 % interval; none: no interval
  [[nodiscard]] double error() const { return predicted / measured - 1; }
  // The name of the run: `run` without the process or metric. Values of one run are not independent.
  [[nodiscard]] std::string what_ran() const { return run.substr(0, run.rfind(", ")); }
};

// A limit on the error of a quantity: on the mean or median absolute error, or on each error.
enum class Statistic { mean, median, each };
struct Bound {
  std::string quantity;
  double limit = 0;
  Statistic statistic = Statistic::mean;
};

// Runs with common error statistics.
struct ComparisonGroup {
  std::string name;      // "equal GPU-bound processes"
  std::string evidence;  // the file of the measurements
  std::string note;      // a remark for readers; may be empty
  std::vector<Comparison> comparisons;
  std::vector<Bound> bounds;
  bool is_view = false;  // regroups the values of an earlier group: for tables of errors only
};

struct ErrorSummary {
  std::string quantity;
  std::size_t count = 0;
  double mean_absolute = 0, median_absolute = 0, p90_absolute = 0, bias = 0;
  double worst = 0;  // signed, of greatest magnitude
  std::string worst_run;
  std::optional<Bound> bound;
  std::size_t over_limit = 0;                  // values whose error exceeds the bound
  std::size_t with_interval = 0, covered = 0;  // values with a 90 % interval, and those inside
  std::size_t runs_with_interval = 0;          // number of different runs among these values
  // The 95 % interval of the share covered, with each run as one trial (Wilson 1927).
  [[nodiscard]] std::pair<double, double> covered_ci95() const;
  [[nodiscard]] bool exceeded() const {
    if (!bound) return false;
    if (bound->statistic == Statistic::each) return over_limit > 0;
    return (bound->statistic == Statistic::mean ? mean_absolute : median_absolute) > bound->limit;
  }
};
// One per quantity, in the order of appearance.
[[nodiscard]] std::vector<ErrorSummary> summarise(const ComparisonGroup& group);

// A run of a scenario, which an interruption ends (input/interruption.hpp). Throws RunError, Interrupted.
[[nodiscard]] scenarios::Result simulated(const scenarios::Scenario& scenario,
                                          const profiles::Profile& profile,
                                          scenarios::RunControl control = {});

// Calls `work` as scenarios::parallel_for() does; `progress` gets the share done, by one thread at a time,
// and may throw.
void simulated_at_once(std::size_t count, const std::function<void(std::size_t)>& work,
                       const std::function<void(double)>& progress);

// The quantity of a metric, for error tables: "throughput", "latency" (times of kernels and batches),
// "enqueue", "memory traffic", "memory held", "power" at the input, "power at the plug", "rail power".
[[nodiscard]] std::string quantity_of(const std::string& metric);

// The predictions of the reference values in a run of the configuration.
[[nodiscard]] std::vector<double> predicted_values(const scenarios::Result& result,
                                                   const RunConfiguration& configuration);

// The predictions of the reference values: [configuration][reference value]. Throws RunError, Interrupted.
[[nodiscard]] std::vector<std::vector<double>> simulated(const profiles::Profile& profile,
                                                         const std::vector<RunConfiguration>& configurations,
                                                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace jostle::calibration
