// Limits on metrics of a result, as `constraints` of scenarios and of studies give them:
// {processes.latency_ms.p99: {max: 50 ms}, system.power_w: {max: 12 W}}.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "input/cursor.hpp"
#include "input/units.hpp"

namespace jostle::scenarios {

// The unit of a metric. Limits are given in `dimension`; null: as a plain number (shares, counts, images/s).
struct MetricUnit {
  const input::Dimension* dimension = nullptr;
  double factor = 1;      // metric = value in the base unit of the dimension · factor
  const char* name = "";  // "W", "images/s"; empty: none
};
// The unit of that name; without a dimension if limits in it are plain numbers.
[[nodiscard]] MetricUnit unit_named(const std::string& name);

struct Constraint {
  std::string metric;              // its path in a result
  std::optional<double> min, max;  // in the unit of the metric
  input::Location location = {};
};

// Reads a mapping from metrics to their limits. `unit_of` gives the unit of a metric; none, after adding a
// problem, if there is no such metric.
using UnitOfMetric =
    std::function<std::optional<MetricUnit>(const input::Cursor& at, const std::string& metric)>;
[[nodiscard]] std::vector<Constraint> read_constraint_list(const input::Cursor& at,
                                                           const UnitOfMetric& unit_of);

}  // namespace jostle::scenarios
