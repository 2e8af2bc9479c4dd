// The points among which a search chooses, as places in a space: which values lie near each other.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyses/study/points.hpp"

namespace jostle::analyses {

// One of the things that vary. With an order, its values have places from 0 to 1; without one (names,
// mappings) each differs from every other alike.
struct SearchDimension {
  std::size_t size = 1;
  std::vector<double> place;  // of each value; empty: no order
};

// Of the study's dimension: numbers of one unit have an order, by their logarithms where they span more than
// a factor of 4. Of keys that vary together the first with an order gives the places.
[[nodiscard]] SearchDimension search_dimension(const Study& study, const Dimension& dimension);

class SearchSpace {
 public:
  SearchSpace(std::vector<SearchDimension> dimensions, std::vector<Coordinates> points);

  [[nodiscard]] const std::vector<SearchDimension>& dimensions() const { return dimensions_; }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] const Coordinates& operator[](std::size_t point) const { return points_[point]; }

  // The points that differ from it in one dimension: by one step where that has an order, else anyhow.
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t point) const;

 private:
  [[nodiscard]] std::optional<std::size_t> find(const Coordinates& at) const;

  std::vector<SearchDimension> dimensions_;
  std::vector<std::vector<std::size_t>> order_;  // [dimension]: its values by place; empty: no order
  std::vector<Coordinates> points_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // by the number of the place in the full grid
};

}  // namespace jostle::analyses
