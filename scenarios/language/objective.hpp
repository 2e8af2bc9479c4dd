// The metrics that a scenario names: `objective`, by which `jostle explain` judges changes, and those of its
// `constraints`. Each is a path in the result such as "processes.1.tokens.decode_per_s", where 1 is the entry
// in the scenario's `processes`.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/cursor.hpp"
#include "input/units.hpp"

namespace jostle::scenarios {

struct Scenario;

struct ObjectiveMetric {
  std::string_view path;  // in a process of the result, or, behind "system.", in the board's
  bool more_is_better;
  std::string_view words, unit;
  bool of_tokens = false;  // only language models have it
};
inline constexpr std::array<ObjectiveMetric, 16> process_objectives{{
    {"throughput.mean", true, "throughput", "/s"},
    {"latency_ms.mean", false, "mean latency", "ms"},
    {"latency_ms.p50", false, "p50", "ms"},
    {"latency_ms.p90", false, "p90", "ms"},
    {"latency_ms.p95", false, "p95", "ms"},
    {"latency_ms.p99", false, "p99", "ms"},
    {"tokens.decode_per_s", true, "decoded tokens", "/s", true},
    {"tokens.prefill_per_s", true, "prompt tokens", "/s", true},
    {"tokens.per_s", true, "tokens", "/s", true},
    {"tokens.per_joule", true, "tokens", "/J", true},
    {"tokens.ttft_ms.mean", false, "TTFT", "ms", true},
    {"tokens.ttft_ms.p50", false, "TTFT p50", "ms", true},
    {"tokens.ttft_ms.p99", false, "TTFT p99", "ms", true},
    {"tokens.itl_ms.mean", false, "ITL", "ms", true},
    {"tokens.itl_ms.p50", false, "ITL p50", "ms", true},
    {"tokens.itl_ms.p99", false, "ITL p99", "ms", true},
}};
inline constexpr std::array<ObjectiveMetric, 3> system_objectives{{
    {"system.throughput.mean", true, "images/s", ""},
    {"system.power_w.mean", false, "power", "W"},
    {"system.energy_per_image_mj", false, "energy", "mJ/image"},
}};

struct Objective {
  std::optional<std::size_t> entry;  // in Scenario::processes; absent: a metric of the board
  ObjectiveMetric metric;
};

// The objective of a scenario. Absent if it names none.
[[nodiscard]] std::optional<Objective> objective_of(const Scenario& scenario);

// The row of a metric of processes, by its path behind the entry ("latency_ms.p99"), or of the board; null:
// there is none. A path that ends at an object with `mean` is its mean.
[[nodiscard]] const ObjectiveMetric* metric_row(std::string_view path);

// The number in "processes.1.latency_ms.p99", and the metric behind it.
struct ProcessPath {
  std::optional<std::size_t> place;  // none: of every process
  std::string_view metric;
};
// None unless the path begins with "processes.".
[[nodiscard]] std::optional<ProcessPath> process_path(std::string_view text);

// Reads the limits of a scenario whose processes are read: its metrics are those of objectives, and, without
// a number, those of every process.
void read_constraints(const input::Cursor& at, Scenario& scenario);
// They as JSON that reads back: text of the mapping.
[[nodiscard]] std::string constraints_json(const Scenario& scenario);

// Reports an objective that is no such path, or no metric of that entry, at `at`.
void check_objective(const Scenario& scenario, const input::Cursor& at);

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
