// The space of a search: its dimensions, points and neighbourhoods.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyses/study/points.hpp"

namespace jostle::analyses {

// A dimension of the search. Ordered values have positions from 0 to 1; unordered ones (names, mappings) are
// all equally far apart.
struct SearchDimension {
  std::size_t size = 1;
  std::vector<double> position;  // [value]; empty: unordered
};

// The search dimension for a dimension of the study. Numbers with one unit are ordered, on a logarithmic
// scale if they span more than a factor of 4. If several keys vary together, the first ordered one sets the
// positions.
[[nodiscard]] SearchDimension search_dimension(const Study& study, const Dimension& dimension);

class SearchSpace {
 public:
  SearchSpace(std::vector<SearchDimension> dimensions, std::vector<Coordinates> points);

  [[nodiscard]] const std::vector<SearchDimension>& dimensions() const { return dimensions_; }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] const Coordinates& operator[](std::size_t point) const { return points_[point]; }

  // The points that differ in one dimension only: by one step if it is ordered, else by any value.
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t point) const;

 private:
  [[nodiscard]] std::optional<std::size_t> find(const Coordinates& at) const;

  std::vector<SearchDimension> dimensions_;
  std::vector<std::vector<std::size_t>> order_;  // [dimension]: its values by position; empty: unordered
  std::vector<Coordinates> points_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // by index in the full grid
};

}  // namespace jostle::analyses
