#include "scenarios/run/latency.hpp"

#include <algorithm>
#include <array>

namespace jostle::scenarios {

namespace {

struct Percentile {
  const char* name;
  double share;
  Metric Latency::*value;
  Interval Latency::Ci95::*ci95;  // null: not part of the result
  bool tail;                      // told only where it is known
};
constexpr std::array<Percentile, 4> percentiles{{{"p50", 0.50, &Latency::p50, &Latency::Ci95::p50, false},
                                                 {"p90", 0.90, &Latency::p90, &Latency::Ci95::p90, true},
                                                 {"p95", 0.95, &Latency::p95, nullptr, true},
                                                 {"p99", 0.99, &Latency::p99, &Latency::Ci95::p99, true}}};

Metric ms(const std::optional<double>& seconds) {
  return seconds ? Metric(*seconds * 1e3) : std::nullopt;
}
Interval interval_ms(const std::optional<sim::Interval>& seconds) {
  return seconds ? Interval({std::max(seconds->low * 1e3, 0.0), seconds->high * 1e3}) : std::nullopt;
}

}  // namespace

Latency latency_of(const process::Served& served, const Unserved& unserved, const Window& window,
                   bool every_percentile) {
  const sim::Quantiles& of = served.latency();
  Latency latency;
  latency.mean = ms(of.mean());
  latency.samples = static_cast<std::int64_t>(of.count());
  latency.ci95.mean = interval_ms(served.latencies().mean_ci95());
  latency.unfinished = unserved.waiting;
  const auto lost = static_cast<double>(latency.unfinished + unserved.dropped);
  const std::vector<double> shares{percentiles[0].share, percentiles[1].share, percentiles[2].share,
                                   percentiles[3].share};
  const bool all_kept = of.exact() && served.latencies().kept() == of.count();
  const auto known = all_kept ? served.latencies().quantiles_known(shares, of.sorted())
                              : served.latencies().quantiles_known(shares);
  double longer = 1;
  for (std::size_t i = 0; i < percentiles.size(); ++i) {
    const Percentile& percentile = percentiles[i];
    if (percentile.ci95 != nullptr) latency.ci95.*percentile.ci95 = interval_ms(known[i].ci95);
    // Where one is not known, none further out is.
    if (percentile.tail && !every_percentile && (!known[i].ci95 || !latency.needs.empty())) {
      longer = std::max(longer, known[i].longer);
      if (percentile.ci95 != nullptr) (latency.ci95.*percentile.ci95).reset();
      if (of.count() > 0) latency.needs.emplace_back(percentile.name, window.seconds() * longer);
      continue;
    }
    latency.*percentile.value = ms(of.quantile(percentile.share));
    if (lost > (1 - percentile.share) * (static_cast<double>(of.count()) + lost))
      latency.of_served.emplace_back(percentile.name);
  }
  return latency;
}

}  // namespace jostle::scenarios
