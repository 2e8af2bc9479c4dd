#include "analyses/explain/objective_value.hpp"

#include <string_view>

#include "analyses/explain/parts.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Metric;

Metric time_of(const scenarios::Times& times, std::string_view statistic) {
  if (statistic == "mean") return times.mean;
  if (statistic == "p50") return times.p50;
  if (statistic == "p90") return times.p90;
  return statistic == "p95" ? times.p95 : times.p99;
}

Metric tokens_of(const scenarios::TokenResult& tokens, std::string_view path) {
  if (path == "decode_per_s") return tokens.decode_per_s;
  if (path == "prefill_per_s") return tokens.prefill_per_s;
  if (path == "per_s") return tokens.per_s;
  if (path == "per_joule") return tokens.per_joule;
  const std::string_view statistic = path.substr(path.find('.') + 1);
  return time_of(path.starts_with("ttft_ms") ? tokens.ttft_ms : tokens.itl_ms, statistic);
}

// The metric of a part; `path` as in scenarios/language/objective.hpp.
Metric value_of(const Part& part, std::string_view path) {
  constexpr std::string_view tokens = "tokens.", latency = "latency_ms.";
  if (path == "throughput.mean") return part.throughput().mean;
  if (path.starts_with(latency)) return time_of(part.latency_ms(), path.substr(latency.size()));
  const auto& own = part.tokens();
  return own ? tokens_of(*own, path.substr(tokens.size())) : std::nullopt;
}

// The mean over parts, or the sum of rates.
struct Total {
  Metric sum = 0.0;
  double count = 0;

  void add(const Metric& value) {
    sum = sum && value ? Metric(*sum + *value) : std::nullopt;
    ++count;
  }
  [[nodiscard]] Metric value(bool of_rates) const {
    if (count == 0 || !sum) return std::nullopt;
    return of_rates ? *sum : *sum / count;
  }
};

}  // namespace

Change objective_change(const scenarios::Objective& objective, const Tried& tried,
                        const scenarios::Scenario& scenario, const scenarios::Result& before) {
  const scenarios::ObjectiveMetric& metric = objective.metric;
  if (!objective.entry) {
    if (metric.path == "system.power_w.mean") return tried.power_w;
    return metric.path == "system.throughput.mean" ? tried.throughput : tried.energy_mj;
  }
  const std::vector<PartPlace> places = part_places(scenario);
  const std::vector<Part> parts = parts_in(before);
  Total then, now;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (places[i].id.entry == *objective.entry) now.add(value_of(parts[i], metric.path));
  for (std::size_t board = 0; board < tried.results.size(); ++board) {
    const std::vector<Part> after = parts_in(tried.results[board]);
    for (std::size_t i = 0; i < after.size(); ++i)
      if (places[tried.what_if.boards[board].parts[i]].id.entry == *objective.entry)
        then.add(value_of(after[i], metric.path));
  }
  return {now.value(metric.more_is_better), then.value(metric.more_is_better), std::nullopt};
}

}  // namespace jostle::analyses
