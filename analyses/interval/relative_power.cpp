#include "analyses/interval/relative_power.hpp"

#include <utility>

namespace jostle::analyses {

scenarios::Interval interval_of_mean(const scenarios::Interval& relative, const scenarios::Metric& mean) {
  if (!relative || !mean) return std::nullopt;
  return std::pair(relative->first * *mean, relative->second * *mean);
}

scenarios::Interval relative_interval(const scenarios::Interval& pi90, const scenarios::Metric& mean) {
  if (!pi90 || !mean || !(*mean > 0)) return std::nullopt;
  return std::pair(pi90->first / *mean, pi90->second / *mean);
}

scenarios::Interval relative_power_interval(const scenarios::Result& result) {
  return relative_interval(result.system.power_w.pi90, result.system.power_w.mean);
}

}  // namespace jostle::analyses
