// Many runs at once, as a table with a row a process.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "python/answers.hpp"
#include "python/source.hpp"

namespace jostle::python {

struct ManyRuns {
  std::vector<std::pair<Source, ScenarioChanges>> scenarios;  // changes without a seed
  std::vector<std::uint64_t> seeds;                           // each scenario runs with each; none: its own
};

struct ManyOptions {
  bool interval = false;  // with prediction intervals
  unsigned threads = 0;   // runs in parallel; 0: one per core
};

// {"columns": {name: array or list}, "lines": [JSON of each run], "warnings": [...]}. The
// column `run` is the index of a row's run, which counts seeds of the first scenario, then of the next; the
// others are those of CSV (scenarios/result/result_rows.hpp). Every run gives the bytes that run() gives.
// Throws the exceptions of the functions in answers.hpp; a problem of any scenario is thrown before anything
// runs.
[[nodiscard]] pybind11::dict run_many(const ManyRuns& runs, const ManyOptions& options,
                                      pybind11::object progress);

// A sweep of a study that returns its points as columns.
struct SweepOptions {
  std::string output;  // SQLite file; empty: in memory
  unsigned threads = 0;
  bool interval = false;
  bool replace = false;
};

// {"columns": {name: array or list}, "lines": [JSON of each point, as `sweep --export json` prints it],
// "warnings": [...], "computed", "reused", "infeasible", "not_supported", "failed": counts}.
// Columns are those of run_many(). Throws the exceptions of the functions in answers.hpp.
[[nodiscard]] pybind11::dict sweep(const Source& source, const SweepOptions& options,
                                   pybind11::object progress);

// The columns of a read-only SQL query on the file of a study. Throws analyses::DatabaseError.
[[nodiscard]] pybind11::dict query(const std::string& file, const std::string& sql);

}  // namespace jostle::python
