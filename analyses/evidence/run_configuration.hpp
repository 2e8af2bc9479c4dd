// Measured runs of boards as scenarios: the rows of an evidence file with the same configuration, together.
//
// The file's columns are those of calibration/evidence/boards/solo.csv, explained in docs/calibration.md;
// `processes` (1), `runtime` (tensorrt), `sync`, `sd` and `source` may be missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/readers/csv.hpp"
#include "scenarios/result/result.hpp"
#include "sim/indirect.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::analyses {

// A measured value.
struct ReferenceValue {
  std::string run, metric;
  double value = 0;  // in the metric's unit
  double sd = 0;     // of repeats, relative; 0: not given
};

// A run as a scenario, and its measured values. The scenario names the device as the file does.
struct RunConfiguration {
  std::string device, mode, clocks, model, precision, placement, runtime;
  std::int64_t batch = 1, processes = 1;
  Indirect<scenarios::Scenario> scenario;
  std::vector<ReferenceValue> reference_values;

  [[nodiscard]] std::string family() const;
  [[nodiscard]] bool on_gpu() const { return placement == "gpu"; }
  [[nodiscard]] std::string text() const;  // a description; equal configurations have equal texts
};

// The kind of quantity that a metric measures.
enum class MetricKind { time, traffic, memory, power, unknown };
[[nodiscard]] MetricKind kind_of(const std::string& metric);

// Configurations in the order of appearance; rows with metrics that jostle does not predict are left out.
// Throws calibration::CsvError with the line of an invalid row.
[[nodiscard]] std::vector<RunConfiguration> run_configurations_of(const calibration::CsvTable& table);

// Those of calibration/evidence/boards/solo.csv.
[[nodiscard]] std::vector<RunConfiguration> shipped_run_configurations();

// The predicted value of a metric in its unit: images/s, ms, GB/s, MiB or W. 0: undefined.
[[nodiscard]] double predicted(const scenarios::Result& result, const std::string& metric,
                               const RunConfiguration& configuration);

}  // namespace jostle::analyses
