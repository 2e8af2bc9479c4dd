// Measured runs of boards as scenarios: the rows of an evidence file with the same configuration, together.
//
// The file's columns are those of calibration/evidence/boards/solo.csv, explained in docs/calibration.md, and
// those of calibration/evidence/published, explained in calibration/evidence/README.md. Of those that may be
// missing, `processes` is 1 and `runtime` tensorrt. Rows of the same run share its model, precision, batch,
// power mode, clocks, processes, runtime and sync: what is empty in one is taken from the others. A network
// from a file is known by its content (`onnx`); where that is empty, by the name of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibration/onnx/network_files.hpp"
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
  double value = 0;       // in the metric's unit
  double sd = 0;          // of repeats, relative; 0: not given
  bool profiled = false;  // under a profiler, which slows
  std::string mark = {};  // why it must not be judged by: what it contradicts, what is unknown; empty: it may
};

// A layer of an engine, or a kernel, that a profiler timed. In the order in which they run.
struct LayerTime {
  std::string name;  // of the engine's layer: the ONNX nodes in it, or the kernel's name
  double ms = 0;
};

// A run as a scenario, and its measured values. The scenario names the device as the file does.
// An empty device is the one that the user names.
struct RunConfiguration {
  std::string device, mode, clocks, model, precision, placement, runtime;
  std::string others;  // of its scenario, for people: input, threads, arrivals, share of MPS
  std::string lab;     // who measured it; empty: not said
  std::string
      presumed;  // conditions that the source does not state, and what is taken; empty: all are stated
  std::int64_t batch = 1, processes = 1;
  Indirect<scenarios::Scenario> scenario;
  std::vector<ReferenceValue> reference_values;
  std::vector<LayerTime> layer_times = {};  // empty: not timed one by one

  [[nodiscard]] std::string network() const;  // the name of its factors: of a file, its content_name()
  [[nodiscard]] std::string family() const;   // of a file, its network()
  [[nodiscard]] bool on_gpu() const { return placement == "gpu"; }
  [[nodiscard]] std::string text() const;  // a description; equal configurations have equal texts
};

// The kind of quantity that a metric measures.
enum class MetricKind { time, traffic, memory, power, unknown };
[[nodiscard]] MetricKind kind_of(const std::string& metric);

// Rows that wait for something that this build does not have.
struct NotYet {
  std::string what;  // "network", "device", "runtime"
  std::string name;  // as the rows call it
  std::size_t rows = 0;
};

// What the rows of some files say, and what they do not say.
struct Evidence {
  std::vector<RunConfiguration> configurations;  // in the order of appearance
  std::vector<std::size_t> used;                 // rows of each file that a fit or a comparison can use
  std::vector<std::string> notes;                // what is left out, and why
  std::vector<NotYet> not_yet = {};              // by device, runtime and network, each row under one of them
};
// A row of a network, device or runtime that is not there yet: an error, or counted. Every other reason not
// to use a row is an error in both cases.
enum class Missing { refuse, count };

// Rows with metrics that jostle does not predict are left out, and runs of no network. Throws
// calibration::CsvError with the line of an invalid row, or of one that lacks what jostle must know.
[[nodiscard]] Evidence evidence_of(std::span<const calibration::CsvTable> tables,
                                   calibration::NetworkFiles& networks, Missing missing = Missing::refuse);
// The configurations of one table, with networks from files in the working directory.
[[nodiscard]] std::vector<RunConfiguration> run_configurations_of(const calibration::CsvTable& table);

// Those of calibration/evidence/boards/solo.csv, on which factors are fitted.
[[nodiscard]] std::vector<RunConfiguration> shipped_run_configurations();

// The predicted value of a metric in its unit: images/s, ms, GB/s, MiB or W. 0: undefined.
[[nodiscard]] double predicted(const scenarios::Result& result, const std::string& metric,
                               const RunConfiguration& configuration);

}  // namespace jostle::analyses
