// Combines the logs of runs: what one log says of a run holds for its other logs.
//
// Logs with the same run name belong to one run. Its network, precision, batch, runtime, power mode and
// clocks are shared by all of its rows, and must not contradict each other: one run cannot be in two states.
// Processes that ran at the same time have one log each; their throughputs are added and their times are
// averaged.
// processes that ran at once there is a log each; their throughput is added, their times are averaged.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/logs/measurement.hpp"
#include "input/problems.hpp"
#include "profiles/onnx/network_files.hpp"

namespace jostle::calibration {

// Fields that the user, or a recording, supplies for a file; empty: the log's own value, if it has one.
struct SuppliedFields {
  std::string run, device, power_mode, model, precision;
  std::optional<std::int64_t> batch;
  std::optional<bool> pinned;  // jetson_clocks
  std::optional<std::int64_t> processes;
  std::optional<std::int64_t> input = {};
  std::string runtime = {}, sync = {}, cpu_mhz = {};
  std::string onnx_sha256 = {};  // hash of the file of `model`
};

// The imports of one file.
struct LogFile {
  std::vector<Import> imports;
  SuppliedFields said;
};

struct RunLog {
  std::string run, device, cpu_mhz;
  std::string content = {};  // content_name() of the network's file; empty: no file, or it was not found
  Import import;             // its setting contains everything that is known of the run
};

// The logs in the order of the files. Runs are named after their file, or as supplied, and numbered if a file
// holds several. A network from a file gets its path as `model`. Adds notes on values that a supplied field
// replaces, and on fields that no log of a run contains, with the option that supplies them. Contradictions
// are problems.
[[nodiscard]] std::vector<RunLog> run_logs(std::vector<LogFile> files, profiles::NetworkFiles& networks,
                                           input::Problems& problems);

// The header line of the CSV.
[[nodiscard]] const std::string& evidence_header();

// The rows of the logs, each ended by a newline.
[[nodiscard]] std::string evidence_rows(std::span<const RunLog> logs);

}  // namespace jostle::calibration
