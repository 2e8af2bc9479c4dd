// Measured runs of boards as scenarios: one for all rows of an evidence file with the same configuration.
//
// The file's columns are those of calibration/evidence/boards/solo.csv, explained in docs/calibration.md, and
// those of calibration/evidence/published, explained in calibration/evidence/README.md. If its column is
// missing, `processes` is 1 and `runtime` is tensorrt. Rows of the same run share its model, precision,
// batch, power mode, clocks, processes, runtime and sync: a field that is empty in one row is taken from the
// others. A network from a file is identified by its content (`onnx`), or, if that is empty, by the name of
// the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "input/csv.hpp"
#include "profiles/onnx/network_files.hpp"
#include "scenarios/result/result.hpp"
#include "sim/indirect.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::calibration {

// A measured value.
struct ReferenceValue {
  std::string run, metric;
  double value = 0;       // in the metric's unit
  double sd = 0;          // relative standard deviation of repeats; 0: not given
  bool profiled = false;  // measured under a profiler, which slows the run
  std::string mark = {};  // why no prediction is judged by it: a contradiction, an unknown; empty: it may be
};

// The time of an engine's layer, or of a kernel, from a profiler. Layers are in the order of execution.
struct LayerTime {
  std::string name;  // ONNX nodes in the engine's layer, or the kernel's name
  double ms = 0;
};

// A kernel of a batch in a framework's runtime, in order.
struct TimedKernel {
  std::string name;
  double us = 0;
  std::string grid, block;  // as in 4x98x1; empty: not known
  std::int64_t registers = 0, shared_bytes = 0;
};

// A run as a scenario, and its measured values. The scenario names the device as the file does. An empty
// device stands for the one that the user names.
struct RunConfiguration {
  std::string device, mode, clocks, model, precision, placement, runtime;
  std::string others;  // more of its scenario, as text for people: input, threads, arrivals, share of MPS
  std::string lab;     // laboratory that measured it; empty: unknown
  std::string
      presumed;  // conditions that the source does not state, with the value taken; empty: all are stated
  std::int64_t batch = 1, processes = 1;
  Indirect<scenarios::Scenario> scenario;
  std::vector<ReferenceValue> reference_values;
  std::vector<LayerTime> layer_times = {};  // empty: not timed one by one
  std::vector<TimedKernel> kernels = {};    // of a batch of a framework, instead of layer times
  // Operators and host time of a batch launched kernel by kernel, from a trace; 0: not known.
  double launching_operators = 0, view_operators = 0, host_us = 0;

  // The side of its images, or its number of tokens; 0: as in its file.
  [[nodiscard]] std::int64_t input() const;
  [[nodiscard]] std::string network() const;  // name in its factors; content_name() if from a file
  [[nodiscard]] std::string family() const;   // network() if from a file
  [[nodiscard]] bool on_gpu() const { return placement == "gpu"; }
  // False for a network that is known by its kernels alone.
  [[nodiscard]] bool has_layers() const;
  // True if its kernels are those of a framework, operator by operator.
  [[nodiscard]] bool is_of_framework() const;
  [[nodiscard]] std::string text() const;  // a description; equal configurations have equal texts
  [[nodiscard]] std::string text(const ReferenceValue& value) const;  // "s39 <text()>, enqueue"
};

// The kind of quantity that a metric measures.
enum class MetricKind { time, traffic, memory, power, unknown };
[[nodiscard]] MetricKind kind_of(const std::string& metric);

// Rows that need something that this build does not have.
struct NotYet {
  std::string what;  // "network", "device", "runtime"
  std::string name;  // name in the rows
  std::size_t rows = 0;
};

// The runs in some files, and the rows that are left out.
struct Evidence {
  std::vector<RunConfiguration> configurations;  // in the order of appearance
  std::vector<std::size_t> used;                 // rows of each file that a fit or a comparison can use
  std::vector<std::map<std::string, std::size_t>> unused;  // of each file: other rows, by the reason
  std::vector<std::string> notes;                          // rows that are left out, and the reason
  std::vector<NotYet> not_yet = {};  // grouped by device, runtime and network; each row counts once
};
// The treatment of a row whose network, device or runtime is unknown: an error, or counted. Every other
// reason not to use a row is an error in both cases.
enum class Missing { refuse, count };

// Leaves out rows with metrics that jostle does not predict, and runs without a network. Throws
// input::CsvError with the line of an invalid row, or of a row that lacks a necessary field.
[[nodiscard]] Evidence evidence_of(std::span<const input::CsvTable> tables, profiles::NetworkFiles& networks,
                                   Missing missing = Missing::refuse);
// The configurations of one table, with networks from files in the working directory.
[[nodiscard]] std::vector<RunConfiguration> run_configurations_of(const input::CsvTable& table);

// The configurations of calibration/evidence/boards/solo.csv, to which factors are fitted.
[[nodiscard]] std::vector<RunConfiguration> shipped_run_configurations();

// The predicted value of a metric in its unit: images/s, ms, GB/s, MiB or W. 0: undefined.
[[nodiscard]] double predicted(const scenarios::Result& result, const std::string& metric,
                               const RunConfiguration& configuration);

}  // namespace jostle::calibration
