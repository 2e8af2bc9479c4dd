// A cache of the runs that published statements need; each is simulated once.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/load.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {

class Runs {
 public:
  explicit Runs(const std::atomic<bool>* interrupt = nullptr)
      : interrupt_(interrupt), catalogue_(scenarios::shipped_catalogue()) {}

  // The result of a scenario. Throws RunError if it cannot be simulated or a process does not fit,
  // Interrupted.
  const scenarios::Result& of(const std::string& scenario);
  // The same as JSON (docs/result.md).
  const nlohmann::ordered_json& json_of(const std::string& scenario);
  // Simulates scenarios that are not in the cache yet on all cores, for later calls of of(), which reports
  // errors.
  void prepare(const std::vector<std::string>& scenarios);
  // The memory use of the processes, without a run; they need not fit.
  [[nodiscard]] scenarios::Result held(const std::string& scenario) const;
  [[nodiscard]] bool fit(const std::string& scenario) const;  // true if all processes fit into memory

  // The weakest grade of the kernel times used since the last call; empty: none were used.
  [[nodiscard]] std::string take_grade() { return std::exchange(grade_, {}); }

 private:
  [[nodiscard]] scenarios::Scenario parsed(const std::string& text) const;
  [[nodiscard]] scenarios::Result simulated(const scenarios::Scenario& scenario) const;

  const std::atomic<bool>* interrupt_;
  scenarios::Catalogue catalogue_;
  std::map<std::string, scenarios::Result> answers_;         // by scenario_hash()
  std::map<std::string, const scenarios::Result*> by_text_;  // the same by a text of the scenario
  std::map<const scenarios::Result*, std::shared_ptr<const nlohmann::ordered_json>> json_;
  std::string grade_;
};

// The value; throws RunError if absent.
[[nodiscard]] double known(const scenarios::Metric& metric);

}  // namespace jostle::calibration
