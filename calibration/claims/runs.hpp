// A cache of the runs that published statements need; each is simulated once.
#pragma once

#include <atomic>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/load.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

// Equal processes on a board, with the parameters that papers vary.
struct Setup {
  std::string device, model, precision;
  int batch = 1, count = 1;
  bool sampled = false;      // with GPU metrics sampled in windows
  bool traced = false;       // under the paper's tracer
  std::string process = {};  // additional keys of the process: "runtime: eager, placement: cuda-only"
  std::string board = {};    // additional keys of the scenario, one per line: "host_cores: 3\n"
  double seconds = 1;        // simulated time; more if a batch takes that long
};
// The setup as a scenario (YAML).
[[nodiscard]] std::string scenario_text(const Setup& setup);

class Runs {
 public:
  explicit Runs(const std::atomic<bool>* interrupt = nullptr)
      : interrupt_(interrupt), catalogue_(scenarios::shipped_catalogue()) {}

  // The result of a scenario. Throws RunError if it cannot be simulated or a process does not fit,
  // Interrupted.
  const scenarios::Result& of(const std::string& scenario);
  const scenarios::Result& of(const Setup& setup) { return of(scenario_text(setup)); }
  // Simulates scenarios that are not in the cache yet on all cores, for later calls of of(), which reports
  // errors.
  void prepare(const std::vector<std::string>& scenarios);
  // The memory use of the processes, without a run; they need not fit.
  [[nodiscard]] scenarios::Result held(const Setup& setup) const;
  [[nodiscard]] bool fit(const Setup& setup) const;  // true if all processes fit into memory

  // The weakest grade of the kernel times used since the last call; empty: none were used.
  [[nodiscard]] std::string take_grade() { return std::exchange(grade_, {}); }

  // Images/s of all processes.
  double images_per_s(const Setup& setup);
  // GPU memory of all processes, in MB.
  [[nodiscard]] double gpu_mb(const Setup& setup) const;

 private:
  [[nodiscard]] scenarios::Scenario parsed(const std::string& text) const;
  [[nodiscard]] scenarios::Result simulated(const scenarios::Scenario& scenario) const;

  const std::atomic<bool>* interrupt_;
  scenarios::Catalogue catalogue_;
  std::map<std::string, scenarios::Result> answers_;  // by scenario_hash()
  std::string grade_;
};

// The value; throws RunError if absent.
[[nodiscard]] double known(const scenarios::Metric& metric);

// The distribution of one GPU metric ("sm_active") over the windows of a run; throws RunError if not sampled.
[[nodiscard]] const scenarios::WindowShares& windows(const scenarios::Result& result,
                                                     const std::string& metric);
// Share of the windows from `low` to `high` percent, both included.
[[nodiscard]] double share_between(const scenarios::WindowShares& shares, std::size_t low, std::size_t high);
[[nodiscard]] double percentile(const scenarios::WindowShares& shares,
                                int percent);  // one of window_percentiles

}  // namespace jostle::calibration
