// What became of a point of a study, and its main figures.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

enum class PointStatus {
  ok,
  infeasible,     // a process does not fit into memory; nothing was simulated
  not_supported,  // the values are right, but not together on this board
  failed          // the run could not go on
};
[[nodiscard]] const char* to_string(PointStatus status);
[[nodiscard]] PointStatus status_named(std::string_view name);  // `failed` of another name

// The figures that studies show beside the whole result, a column each. Of several processes the worst.
struct MainMetric {
  const char* column;
  scenarios::Metric (*of)(const scenarios::Result& result);
};
inline constexpr std::size_t main_metric_count = 17;
[[nodiscard]] const std::array<MainMetric, main_metric_count>& main_metrics();

struct Outcome {
  PointStatus status = PointStatus::ok;
  std::string problem;                                       // why it is not ok; else empty
  std::string result;                                        // JSON; empty where there is none
  std::array<scenarios::Metric, main_metric_count> figures;  // absent unless ok
  std::string limited_by, stop;                              // likewise
};

// A point that was not run, and why.
[[nodiscard]] Outcome not_supported(std::string problem);

class StudyIntervals;

// Runs the scenario on its profile, with prediction intervals if these are there. None if it was interrupted.
// Whatever else goes wrong is an outcome.
[[nodiscard]] std::optional<Outcome> run_point(const scenarios::Scenario& scenario,
                                               const calibration::Profile& profile,
                                               const std::atomic<bool>* interrupt,
                                               const StudyIntervals* intervals = nullptr);

// Equal for equal questions to equal jostles: of the resolved scenario, the profile, this version, and
// whether intervals are asked for.
[[nodiscard]] std::string point_key(const scenarios::Scenario& scenario, const calibration::Profile& profile,
                                    bool interval = false);
// The same of a point that is not supported, from the values it would have had.
[[nodiscard]] std::string unsupported_key(const std::string& document_json);

}  // namespace jostle::analyses
