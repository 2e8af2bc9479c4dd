// The runs that published statements ask for, each simulated once however many statements ask.
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

namespace jostle::analyses {

// Equal processes on a board, in the terms in which papers vary them.
struct Setup {
  std::string device, model, precision;
  int batch = 1, count = 1;
  bool sampled = false;      // with the GPU's metrics in windows
  bool traced = false;       // under the tracer of the paper
  std::string process = {};  // more keys of the process: "runtime: eager, placement: cuda-only"
  std::string board = {};    // more keys of the scenario, a line each: "host_cores: 3\n"
  double seconds = 1;        // simulated; more where a batch takes as long as that
};
// As a scenario: YAML that anyone can run.
[[nodiscard]] std::string scenario_text(const Setup& setup);

class Runs {
 public:
  explicit Runs(const std::atomic<bool>* interrupt = nullptr)
      : interrupt_(interrupt), catalogue_(scenarios::shipped_catalogue()) {}

  // The answer to a scenario. Throws RunError where it cannot be simulated or a process does not fit, and
  // Interrupted.
  const scenarios::Result& of(const std::string& scenario);
  const scenarios::Result& of(const Setup& setup) { return of(scenario_text(setup)); }
  // Simulates those that are not known yet, on all cores; of() has them then. What cannot be simulated is
  // left to of() to say.
  void prepare(const std::vector<std::string>& scenarios);
  // What processes hold, without a run; they need not fit.
  [[nodiscard]] scenarios::Result held(const Setup& setup) const;
  [[nodiscard]] bool fit(const Setup& setup) const;  // all of them, into memory

  // The grade that the least founded kernel times asked for since the last call rest on; empty: none were.
  [[nodiscard]] std::string take_grade() { return std::exchange(grade_, {}); }

  // Images/s of all processes.
  double images_per_s(const Setup& setup);
  // What the driver allocates for the GPU, all processes, in MB.
  [[nodiscard]] double gpu_mb(const Setup& setup) const;

 private:
  [[nodiscard]] scenarios::Scenario parsed(const std::string& text) const;
  [[nodiscard]] scenarios::Result simulated(const scenarios::Scenario& scenario) const;

  const std::atomic<bool>* interrupt_;
  scenarios::Catalogue catalogue_;
  std::map<std::string, scenarios::Result> answers_;  // by the scenario's hash
  std::string grade_;
};

// The figure; throws RunError where there is none.
[[nodiscard]] double known(const scenarios::Metric& figure);

// The distribution of one metric of the GPU over the windows of a run ("sm_active"); throws RunError where
// it was not sampled.
[[nodiscard]] const scenarios::WindowShares& windows(const scenarios::Result& result,
                                                     const std::string& metric);
// Share of the windows from `low` to `high` percent, both included.
[[nodiscard]] double share_between(const scenarios::WindowShares& shares, std::size_t low, std::size_t high);
[[nodiscard]] double percentile(const scenarios::WindowShares& shares,
                                int percent);  // one of window_percentiles

}  // namespace jostle::analyses
