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
// A column of numbers is an array of integers, or of doubles (NaN: no value), that owns its memory; it is a
// list of int, float or None if doubles would lose digits of its integers. A column with texts is a list of
// str or None. Throws the exceptions of the functions in answers.hpp.
[[nodiscard]] pybind11::dict sweep(const Source& source, const SweepOptions& options,
                                   pybind11::object progress);

}  // namespace jostle::python
