// Measured runs of boards as scenarios: the rows of an evidence file that tell of the same setting, together.
//
// The file's columns are those of calibration/evidence/boards/solo.csv, explained in docs/calibration.md;
// `processes` (1), `runtime` (tensorrt), `sync`, `sd` and `source` may be missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/readers/csv.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// One measured figure.
struct ReferenceValue {
  std::string run, metric;
  double value = 0;  // in the metric's unit
  double sd = 0;     // of repeats, relative; 0: not told
};

// What was run, and what was measured of it. Its scenario names the device as the file does.
struct RunConfiguration {
  std::string device, mode, clocks, model, precision, placement, runtime;
  std::int64_t batch = 1, processes = 1;
  scenarios::Scenario scenario;
  std::vector<ReferenceValue> figures;

  [[nodiscard]] std::string family() const;
  [[nodiscard]] bool on_gpu() const { return placement == "gpu"; }
  [[nodiscard]] std::string text() const;  // for people; equal settings have equal texts
};

// What a metric is of.
enum class MetricKind { time, traffic, memory, power, unknown };
[[nodiscard]] MetricKind kind_of(const std::string& metric);

// Settings in the order of appearance; rows of metrics that nothing is predicted for are left out. Throws
// calibration::CsvError with the line of a row that cannot be.
[[nodiscard]] std::vector<RunConfiguration> run_configurations_of(const calibration::CsvTable& table);

// Those of calibration/evidence/boards/solo.csv.
[[nodiscard]] std::vector<RunConfiguration> shipped_run_configurations();

// The figure of a simulated setting in the unit of the metric: images/s, ms, GB/s, MiB or W. 0: undefined.
[[nodiscard]] double predicted(const scenarios::Result& result, const std::string& metric,
                               const RunConfiguration& setting);

}  // namespace jostle::analyses
