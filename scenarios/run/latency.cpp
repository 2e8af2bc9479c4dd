// The latencies of a process as metrics of the result, with their confidence.
#include <algorithm>
#include <array>

#include "scenarios/run/metrics.hpp"

namespace jostle::scenarios {

namespace {

struct Percentile {
  const char* name;
  double share;
  Metric Times::*value;
  Interval Times::Ci95::*ci95;  // null: has no interval in the result
  bool tail;                    // true: omitted unless its interval is known
};
constexpr std::array<Percentile, 4> percentiles{{{"p50", 0.50, &Times::p50, &Times::Ci95::p50, false},
                                                 {"p90", 0.90, &Times::p90, &Times::Ci95::p90, true},
                                                 {"p95", 0.95, &Times::p95, nullptr, true},
                                                 {"p99", 0.99, &Times::p99, &Times::Ci95::p99, true}}};

Metric ms(const std::optional<double>& seconds) {
  return seconds ? Metric(*seconds * 1e3) : std::nullopt;
}
Interval interval_ms(const std::optional<sim::Interval>& seconds) {
  return seconds ? Interval({std::max(seconds->low * 1e3, 0.0), seconds->high * 1e3}) : std::nullopt;
}

}  // namespace

Times times_of(const sim::Observations& seconds, const Window& window, bool every_percentile) {
  const sim::Quantiles& of = seconds.quantiles();
  const sim::Series& series = seconds.series();
  Times times;
  times.mean = ms(of.mean());
  times.samples = static_cast<std::int64_t>(of.count());
  times.ci95.mean = interval_ms(series.mean_ci95());
  const std::vector<double> shares{percentiles[0].share, percentiles[1].share, percentiles[2].share,
                                   percentiles[3].share};
  const bool all_kept = of.exact() && series.kept() == of.count();
  const auto known = all_kept ? series.quantiles_known(shares, of.sorted()) : series.quantiles_known(shares);
  double longer = 1;
  for (std::size_t i = 0; i < percentiles.size(); ++i) {
    const Percentile& percentile = percentiles[i];
    if (percentile.ci95 != nullptr) times.ci95.*percentile.ci95 = interval_ms(known[i].ci95);
    // If a percentile is not known, no higher one is known.
    if (percentile.tail && !every_percentile && (!known[i].ci95 || !times.needs.empty())) {
      longer = std::max(longer, known[i].longer);
      if (percentile.ci95 != nullptr) (times.ci95.*percentile.ci95).reset();
      if (of.count() > 0) times.needs.emplace_back(percentile.name, NeededRun{window.seconds() * longer});
      continue;
    }
    times.*percentile.value = ms(of.quantile(percentile.share));
  }
  return times;
}

Latency latency_of(const process::Served& served, const Unserved& unserved, const Window& window,
                   bool every_percentile) {
  Latency latency{times_of(served.latencies(), window, every_percentile), {}, unserved.waiting, {}, {}};
  const auto lost = static_cast<double>(unserved.waiting + unserved.dropped);
  const auto all = static_cast<double>(latency.samples) + lost;
  for (const Percentile& percentile : percentiles) {
    const bool is_known = latency.*percentile.value || !percentile.tail;
    if (is_known && lost > (1 - percentile.share) * all) latency.of_served.emplace_back(percentile.name);
  }
  return latency;
}

}  // namespace jostle::scenarios
