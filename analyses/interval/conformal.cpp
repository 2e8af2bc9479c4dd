#include "analyses/interval/conformal.hpp"

#include <algorithm>
#include <map>

namespace jostle::analyses {
namespace {

constexpr double wanted = 0.9;
constexpr double rounding = 1e-9;  // tolerance for sums of weights like 1/3

std::map<std::string, double> values_of_runs(const std::vector<Needed>& needed) {
  std::map<std::string, double> found;
  for (const Needed& value : needed) ++found[value.run];
  return found;
}

}  // namespace

std::optional<double> conformal_half_width(std::vector<Needed> needed) {
  const std::map<std::string, double> values = values_of_runs(needed);
  const double enough = wanted * static_cast<double>(values.size() + 1) - rounding;
  std::ranges::stable_sort(needed, {}, &Needed::half_width);
  double weight = 0;
  for (const Needed& value : needed) {
    weight += 1 / values.at(value.run);
    if (weight >= enough) return value.half_width;
  }
  return std::nullopt;
}

std::size_t runs_in(const std::vector<Needed>& needed) {
  return values_of_runs(needed).size();
}

}  // namespace jostle::analyses
