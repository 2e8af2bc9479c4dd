// The points of a study: which there are, and what each asks.
//
// Nothing is stored of a point: coordinates are computed from its index, the scenario from the coordinates.
// The scenario is made by putting the values into the study's tree of values and reading that as any scenario
// is read: one way to read a key, and a wrong value is reported where it stands in the study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/study.hpp"
#include "scenarios/language/load.hpp"

namespace jostle::analyses {

// Which value each dimension of the study takes.
using Coordinates = std::vector<std::size_t>;

class Points {
 public:
  // The study outlives it.
  explicit Points(const Study& study);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Coordinates operator[](std::uint64_t index) const;

 private:
  const Study* study_;
  std::uint64_t size_ = 1;
  std::vector<std::vector<std::uint32_t>> sampled_;  // [dimension][point]; none: the full grid
};

// The points of the full grid, sampled or not.
[[nodiscard]] std::uint64_t grid_size(const Study& study);
[[nodiscard]] Coordinates grid_coordinates(const Study& study, std::uint64_t index);

// The value of each axis at the point, in the order of Study::axes.
[[nodiscard]] std::vector<input::Node> values_at(const Study& study, const Coordinates& at);

// The same as a JSON object by key: numbers as numbers, "624.75 MHz" as text.
[[nodiscard]] std::string settings_json(const Study& study, const Coordinates& at);

// The scenario's values with those of the point put in; null if they cannot be, with problems.
[[nodiscard]] input::Node document_at(const Study& study, const Coordinates& at, input::Problems& problems);

// The scenario of the point, checked as any is; none with its problems, which tell the place in the study.
[[nodiscard]] std::optional<scenarios::Scenario> scenario_at(const Study& study, const Coordinates& at,
                                                             const scenarios::Catalogue& catalogue,
                                                             input::Problems& problems);

// A value as JSON.
[[nodiscard]] std::string json_text(const input::Value& value);

}  // namespace jostle::analyses
