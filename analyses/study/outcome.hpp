// The outcome of a point of a study, with its main metrics.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {
struct Scenario;
struct SharedWork;
}  // namespace jostle::scenarios

namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

enum class PointStatus {
  ok,
  infeasible,     // a process does not fit into memory; nothing was simulated
  not_supported,  // the values are valid, but not in combination on this board
  failed          // the run ended with an error
};
[[nodiscard]] const char* to_string(PointStatus status);
[[nodiscard]] PointStatus status_named(std::string_view name);  // `failed` for any other name

// The metrics that a study stores in columns of their own, next to the JSON result. Among several processes
// the worst counts.
struct MainMetric {
  const char* column;
  scenarios::Metric (*of)(const scenarios::Result& result);
};
inline constexpr std::size_t main_metric_count = 17;
[[nodiscard]] const std::array<MainMetric, main_metric_count>& main_metrics();

struct Outcome {
  PointStatus status = PointStatus::ok;
  std::string problem;                                       // reason why it is not ok; else empty
  std::string result;                                        // JSON; empty if there is no result
  std::array<scenarios::Metric, main_metric_count> metrics;  // absent unless ok
  std::string limited_by, stop;                              // empty unless ok
};

// The outcome of a point that was not run, with the reason.
[[nodiscard]] Outcome not_supported(std::string problem);

class StudyIntervals;

// Runs the scenario on its profile, with prediction intervals unless `intervals` is null. Shares `work` with
// other points on that profile. None if interrupted. Any other error becomes the outcome.
[[nodiscard]] std::optional<Outcome> run_point(const scenarios::Scenario& scenario,
                                               const profiles::Profile& profile,
                                               const std::atomic<bool>* interrupt,
                                               const StudyIntervals* intervals = nullptr,
                                               scenarios::SharedWork* work = nullptr);

// A hash of the resolved scenario, the profile, the version of jostle and `interval`. Points with equal keys
// have equal outcomes. Files have it as text (input::hex).
[[nodiscard]] std::uint64_t point_key(const scenarios::Scenario& scenario, const profiles::Profile& profile,
                                      bool interval = false);
// The same key for a point that is not supported, from its values.
[[nodiscard]] std::uint64_t unsupported_key(const std::string& document_json);

}  // namespace jostle::analyses
