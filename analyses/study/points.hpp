// The points of a study and their scenarios.
//
// Points are not stored: coordinates are computed from the index, the scenario from the coordinates. To build
// a scenario, the values of the point are put into the value tree of the study, which is then read like any
// scenario. So each key has one reader, and an invalid value is reported at its place in the study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/study/study.hpp"
#include "scenarios/language/load.hpp"

namespace jostle::analyses {

// The index of the value that each dimension of the study takes.
using Coordinates = std::vector<std::size_t>;

class Points {
 public:
  // The study must outlive this.
  explicit Points(const Study& study);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Coordinates operator[](std::uint64_t index) const;

 private:
  const Study* study_;
  std::uint64_t size_ = 1;
  std::vector<std::vector<std::uint32_t>> sampled_;  // [dimension][point]; empty: the full grid
};

// The points of the full grid, sampled or not.
[[nodiscard]] std::uint64_t grid_size(const Study& study);
[[nodiscard]] Coordinates grid_coordinates(const Study& study, std::uint64_t index);

// The value of each axis at the point, in the order of Study::axes.
[[nodiscard]] std::vector<input::Node> values_at(const Study& study, const Coordinates& at);

// The same values as a JSON object: numbers as numbers, "624.75 MHz" as a string.
[[nodiscard]] std::string settings_json(const Study& study, const Coordinates& at);

// The value tree of the scenario at the point; null, with problems, if a key does not exist.
[[nodiscard]] input::Node document_at(const Study& study, const Coordinates& at, input::Problems& problems);

// The checked scenario of the point; none, with problems located in the study file, if it is invalid.
[[nodiscard]] std::optional<scenarios::Scenario> scenario_at(const Study& study, const Coordinates& at,
                                                             const scenarios::Catalogue& catalogue,
                                                             input::Problems& problems);

// A value as JSON.
[[nodiscard]] std::string json_text(const input::Value& value);

// Dotted paths of scenario keys ("processes.*.batch"); `*` stands for any entry of a list.

// Returns whether the value at `inner` is, or may be (`*`), part of the value at `outer`. Equal paths cover
// each other.
[[nodiscard]] bool covers(std::string_view outer, std::string_view inner);

// Returns whether both paths have the same number of steps.
[[nodiscard]] bool same_length(std::string_view a, std::string_view b);

// The rest of `inner` after `outer`, with the leading dot. `outer` must cover `inner`.
[[nodiscard]] std::string_view rest_after(std::string_view outer, std::string_view inner);

}  // namespace jostle::analyses
