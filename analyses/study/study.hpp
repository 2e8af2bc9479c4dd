// A study: a scenario, the keys to vary, and the goal (docs/studies.md).
//
// Plain data, read and checked by parse_study(). points.hpp computes its points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/sections.hpp"
#include "input/problems.hpp"
#include "input/value.hpp"

namespace jostle::analyses {

// One key of the scenario and the values it takes.
struct Axis {
  std::string key;                  // text in the file: "processes.*.batch"
  std::vector<input::Node> values;  // at least one, each with its place in the file
};

// An independent dimension: one axis, or several axes of equal length that vary together (zip).
struct Dimension {
  std::vector<std::size_t> axes;  // indices in Study::axes
  std::size_t size = 1;           // number of values
};

// Sampling instead of the full grid: this many points, each dimension evenly covered.
struct LatinHypercube {
  std::int64_t points = 1;
  std::uint64_t seed = 1;
};

// An objective: a metric (path: metric.hpp) to maximise or minimise.
struct Objective {
  bool maximise = true;
  std::string metric;
  input::Location location;
};

struct Study {
  std::string origin;     // names the file in messages
  std::string directory;  // paths in the scenario are relative to it; "": the working directory
  input::Node document;   // the whole file
  input::Node scenario;   // the scenario before the values of a point are inserted
  std::vector<Axis> axes;
  std::vector<Dimension> dimensions;  // in the order of the file; the last varies fastest
  std::optional<LatinHypercube> sampling;
  std::vector<Objective> objectives;
  std::vector<Constraint> constraints;
  PlanSection plan = {};
  bool interval = false;  // true: computes prediction intervals (pi90)
  std::optional<OffloadSection> offload = {};
  std::optional<FleetSection> fleet = {};
};

inline constexpr std::uint64_t max_points = 1'000'000;

// Returns whether the document is a study: it has a key `scenario`.
[[nodiscard]] bool is_study(const input::Value& document);

// The study in the text or file; none, with problems, if it is invalid. check_points() checks the scenarios
// of its points later.
[[nodiscard]] std::optional<Study> parse_study(const std::string& text, const std::string& origin,
                                               const std::string& directory, input::Problems& problems);
[[nodiscard]] std::optional<Study> load_study(const std::string& path, input::Problems& problems);

}  // namespace jostle::analyses
