// A sweep of a study that returns its points as columns.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "python/source.hpp"

namespace jostle::python {

struct SweepOptions {
  std::string output;  // SQLite file; empty: in memory
  unsigned threads = 0;
  bool interval = false;
  bool replace = false;
};

// {"columns": {name: array or list}, "lines": [JSON of each point, as `sweep --export json` prints it],
// "warnings": [...], "computed", "reused", "infeasible", "not_supported", "failed": counts}.
// Columns are those of columns.hpp. Throws the exceptions of the functions in answers.hpp.
[[nodiscard]] pybind11::dict sweep(const Source& source, const SweepOptions& options,
                                   pybind11::object progress);

// The columns of a read-only SQL query on the file of a study. Throws analyses::DatabaseError.
[[nodiscard]] pybind11::dict query(const std::string& file, const std::string& sql);

}  // namespace jostle::python
