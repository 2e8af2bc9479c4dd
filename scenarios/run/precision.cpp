// Checks how precisely a run so far determines the metrics that `run.until` names.
#include "scenarios/run/steadiness.hpp"

namespace jostle::scenarios {

namespace {

// The minimum number of service quanta: fewer of them do not show how much the next ones differ.
constexpr std::uint64_t fewest_lumps = 64;

std::optional<double> relative(const std::optional<sim::Interval>& interval, std::optional<double> value) {
  if (!interval || !value || *value == 0) return std::nullopt;
  return (interval->high - interval->low) / 2 / *value;
}

// The half-width of the interval of the p-quantile of latencies, divided by the quantile.
std::optional<double> of_quantile(const process::Inference& process, double p) {
  return relative(process.latencies().series().quantiles_known({p}).front().ci95,
                  process.latency().quantile(p));
}

std::optional<double> of_latency(const process::Inference& process, Precise metric) {
  switch (metric) {
    case Precise::latency_p50:
      return of_quantile(process, 0.50);
    case Precise::latency_p90:
      return of_quantile(process, 0.90);
    case Precise::latency_p99:
      return of_quantile(process, 0.99);
    default:
      return relative(process.latencies().series().mean_ci95(), process.latency().mean());
  }
}

}  // namespace

Converged converged(const Until& until, const process::Inference& process, std::optional<bool> stable,
                    sim::Time now) {
  Converged all;
  const bool overloaded = stable == false;
  for (const Precise metric : until.of) {
    std::optional<double> width;
    if (process.rate().seconds_per_lump().count() < fewest_lumps)
      width = std::nullopt;
    else if (metric == Precise::throughput)
      width = process.rate().relative_half_width(now, overloaded);
    else if (!overloaded)
      width = of_latency(process, metric);
    all.emplace_back(to_string(metric), width && *width <= until.relative_error);
  }
  return all;
}

}  // namespace jostle::scenarios
