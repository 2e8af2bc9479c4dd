// Limits on a metric of a result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/cursor.hpp"

namespace jostle::analyses {

struct Constraint {
  std::string metric;              // path of the metric (metric.hpp)
  std::optional<double> min, max;  // in the unit of the metric
  input::Location location;
};

// Reads a mapping from metrics to their limits.
[[nodiscard]] std::vector<Constraint> read_constraint_list(const input::Cursor& at);

}  // namespace jostle::analyses
