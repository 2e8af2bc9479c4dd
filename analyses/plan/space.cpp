#include "analyses/plan/space.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "input/units.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

// The number in a value, with its unit in `unit`; none if it is not a number.
std::optional<double> number_of(const input::Value& value, std::string& unit) {
  if (value.kind != input::Kind::scalar || value.quoted) return std::nullopt;
  const auto found = input::leading_number(value.text);
  if (!found || !(found->rest.empty() || found->rest.starts_with(' ')))
    return std::nullopt;  // a name, such as "15W"
  unit = found->rest.substr(std::min(found->rest.find_first_not_of(' '), found->rest.size()));
  return found->number;
}

std::vector<double> positions(const Axis& axis) {
  std::vector<double> numbers;
  std::string unit;
  for (const input::Node& value : axis.values) {
    std::string own;
    const auto number = number_of(*value, own);
    if (!number || (!numbers.empty() && own != unit)) return {};
    unit = own;
    numbers.push_back(*number);
  }
  const auto [min, max] = std::ranges::minmax(numbers);
  if (!(min < max)) return {};
  constexpr double min_ratio = 4;  // least ratio for a logarithmic scale
  const bool by_logarithm = min > 0 && max > min_ratio * min;
  const auto scaled = [&](double x) { return by_logarithm ? sim::log(x) : x; };
  const double from = scaled(min), range = scaled(max) - from;
  for (double& x : numbers) x = (scaled(x) - from) / range;
  return numbers;
}

}  // namespace

SearchDimension search_dimension(const Study& study, const Dimension& dimension) {
  SearchDimension found{dimension.size, {}};
  for (const std::size_t axis : dimension.axes) {
    found.position = positions(study.axes[axis]);
    // Values with equal numbers may differ in another key of the dimension (two boards with as many cores).
    std::vector<double> sorted = found.position;
    std::ranges::sort(sorted);
    if (!sorted.empty() && std::ranges::adjacent_find(sorted) == sorted.end()) return found;
  }
  found.position.clear();
  return found;
}

SearchSpace::SearchSpace(std::vector<SearchDimension> dimensions, std::vector<Coordinates> points)
    : dimensions_(std::move(dimensions)), points_(std::move(points)) {
  for (const SearchDimension& dimension : dimensions_) {
    std::vector<std::size_t>& order = order_.emplace_back(dimension.position.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t value) { return dimension.position[value]; });
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    std::uint64_t key = 0;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) key = key * dimensions_[d].size + points_[i][d];
    index_.emplace(key, i);
  }
}

std::optional<std::size_t> SearchSpace::find(const Coordinates& at) const {
  std::uint64_t key = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) key = key * dimensions_[d].size + at[d];
  const auto found = index_.find(key);
  return found != index_.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<std::size_t> SearchSpace::neighbours(std::size_t point) const {
  std::vector<std::size_t> found;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    Coordinates at = points_[point];
    const std::size_t here = at[d];
    const auto add = [&](std::size_t value) {
      at[d] = value;
      if (const auto there = find(at)) found.push_back(*there);
    };
    if (order_[d].empty()) {
      for (std::size_t value = 0; value < dimensions_[d].size; ++value)
        if (value != here) add(value);
      continue;
    }
    const auto rank = static_cast<std::size_t>(std::ranges::find(order_[d], here) - order_[d].begin());
    if (rank > 0) add(order_[d][rank - 1]);
    if (rank + 1 < order_[d].size()) add(order_[d][rank + 1]);
  }
  return found;
}

}  // namespace jostle::analyses
