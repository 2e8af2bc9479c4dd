// The functions that Python calls; each returns the JSON that the matching command prints.
//
// All throw Invalid (source.hpp), scenarios::RunError, input::Refused (an output cannot be written),
// Interrupted, and Python's own errors.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/compare/compare.hpp"
#include "calibration/calibrate/board/board_calibration.hpp"
#include "python/source.hpp"

namespace jostle::python {

struct Answer {
  std::string json;  // one object; for offload, one per line
  Warnings warnings;
};

struct ScenarioChanges {
  std::vector<std::string> set;  // "processes.0.batch=8"
  std::optional<std::uint64_t> seed;
  [[nodiscard]] scenarios::LoadOptions options() const { return {.set = set, .seed = seed}; }
};

[[nodiscard]] Answer run(const Source& source, const ScenarioChanges& changes, bool interval,
                         const std::string& trace, pybind11::object progress);

struct ExplainOptions {
  std::vector<std::string> what_ifs;  // empty: all
  bool interval = false;              // with pi90 of power
};
[[nodiscard]] Answer explain(const Source& source, const ScenarioChanges& changes,
                             const ExplainOptions& options, pybind11::object progress);

struct Side {
  Source source;
  ScenarioChanges changes;
  std::string name;  // its name in the answer
};
struct CompareOptions {
  analyses::Pairs pairs;
  bool interval = false;  // with pi90 of power
};
[[nodiscard]] Answer compare(const Side& a, const Side& b, const CompareOptions& options,
                             pybind11::object progress);

[[nodiscard]] Answer offload(const Source& source, unsigned threads, bool interval,
                             pybind11::object progress);

// {"kind": "scenario", "device", "processes": how many, "fits": bool, "memory_mb", "problems": [why a process
// does not fit]} or {"kind": "study", "points", "not_supported", "problems"}. A study takes no changes.
[[nodiscard]] Answer check(const Source& source, const ScenarioChanges& changes, pybind11::object progress);

struct PlanOptions {
  std::string output;  // the file for the points; empty: none
  unsigned threads = 0;
  bool exhaustive = false, intervals = true;
  std::size_t simulations = 0;  // 0: the default of plan
};
[[nodiscard]] Answer plan(const Source& source, const PlanOptions& options, pybind11::object progress);

// Without an `output` the profile is only in the answer.
struct CalibrateOptions : calibration::BoardCalibrationQuestion {
  std::vector<std::string> onnx;
};
// {"schema":"jostle.calibration/1",...}: the fitted parameters, their errors, and the profile.
[[nodiscard]] Answer calibrate(const std::string& device, const CalibrateOptions& options,
                               pybind11::object progress);

// The JSON Schema `name`: "scenario", "study" or "result".
[[nodiscard]] std::string schema(const std::string& name);

// The devices and networks of this build, as arrays of objects.
[[nodiscard]] std::string devices();
[[nodiscard]] std::string networks();

}  // namespace jostle::python
