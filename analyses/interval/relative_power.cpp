#include "analyses/interval/relative_power.hpp"

#include <tuple>
#include <utility>

namespace jostle::analyses {

scenarios::Interval power_interval(const scenarios::Interval& relative, const scenarios::Metric& mean_w) {
  if (!relative || !mean_w) return std::nullopt;
  return std::pair(relative->first * *mean_w, relative->second * *mean_w);
}

scenarios::Interval relative_power_interval(const scenarios::Result& result) {
  const auto& [mean_w, pi90] = std::tie(result.system.power_w.mean, result.system.power_w.pi90);
  if (!pi90 || !mean_w || !(*mean_w > 0)) return std::nullopt;
  return std::pair(pi90->first / *mean_w, pi90->second / *mean_w);
}

}  // namespace jostle::analyses
