// A study: a scenario, what varies in it, and what is wanted of it (docs/studies.md).
//
// Plain data, as read and checked by parse_study(); which points it has, and what each asks, tells
// points.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/constraint.hpp"
#include "analyses/study/fleet_section.hpp"
#include "analyses/study/offload_section.hpp"
#include "input/problems.hpp"
#include "input/value.hpp"

namespace jostle::analyses {

// One key of the scenario and the values it takes.
struct Axis {
  std::string key;                  // as written: "processes.*.batch"
  std::vector<input::Node> values;  // at least one; each at its place in the file
};

// What varies by itself: one axis, or several of equal length that vary together (zip).
struct Dimension {
  std::vector<std::size_t> axes;  // in Study::axes
  std::size_t size = 1;           // values
};

// Instead of the full grid: this many points, each dimension evenly covered.
struct LatinHypercube {
  std::int64_t points = 1;
  std::uint64_t seed = 1;
};

// Paths of figures are those of figure.hpp.
struct Objective {
  bool maximise = true;
  std::string figure;
  input::Location location;
};
struct Study {
  std::string origin;     // names the file in messages
  std::string directory;  // files the scenario names are sought from here; "" = the working directory
  input::Node document;   // the whole file
  input::Node scenario;   // before anything is put into it
  std::vector<Axis> axes;
  std::vector<Dimension> dimensions;  // in the order of the file; the last varies fastest
  std::optional<LatinHypercube> sampling;
  std::vector<Objective> objectives;
  std::vector<Constraint> constraints;
  bool interval = false;  // prediction intervals (pi90) are asked for
  std::optional<OffloadSection> offload = {};
  std::optional<FleetSection> fleet = {};
};

inline constexpr std::uint64_t max_points = 1'000'000;

// Whether the file is meant as a study: it holds a scenario, where a scenario's file is one.
[[nodiscard]] bool is_study(const input::Value& document);

// The study in the text or the file; none if `problems` grew. The scenarios of its points are not yet
// checked: check_points() does it.
[[nodiscard]] std::optional<Study> parse_study(const std::string& text, const std::string& origin,
                                               const std::string& directory, input::Problems& problems);
[[nodiscard]] std::optional<Study> load_study(const std::string& path, input::Problems& problems);

}  // namespace jostle::analyses
