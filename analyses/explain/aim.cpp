#include "analyses/explain/aim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"
#include "analyses/explain/unit_totals.hpp"
#include "scenarios/language/scenario.hpp"

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

// The objective's value over the parts of its entry. `place`: the place before the change of a part in a
// board's result.
template <class Place>
Metric objective_value(const scenarios::Objective& objective, const std::vector<scenarios::Result>& results,
                       const Place& place) {
  Total total;
  for (std::size_t board = 0; board < results.size(); ++board) {
    const std::vector<Part> parts = parts_in(results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (place(board, i).id.entry == *objective.entry) total.add(value_of(parts[i], objective.metric.path));
  }
  return total.value(objective.metric.more_is_better);
}

Metric value_before(const scenarios::Objective& objective, const scenarios::Scenario& scenario,
                    const scenarios::Result& before) {
  if (objective.metric.path == "system.power_w.mean") return before.system.power_w.mean;
  if (objective.metric.path == "system.energy_per_image_mj") return before.system.energy_per_image_mj;
  if (!objective.entry) return before.system.throughput;
  const std::vector<PartPlace> places = part_places(scenario);
  return objective_value(objective, {before}, [&](std::size_t, std::size_t i) { return places[i]; });
}

bool all_have_arrivals(const scenarios::Scenario& scenario) {
  return std::ranges::none_of(scenario.processes, [](const scenarios::ProcessEntry& process) {
    return std::ranges::any_of(parts_of(process), [](const scenarios::ProcessEntry& part) {
      return part.arrivals.waits_for_answers();
    });
  });
}

// " of front"; empty where there is one entry.
std::string whose(const scenarios::Objective& objective, const scenarios::Scenario& scenario) {
  if (!objective.entry || scenario.processes.size() == 1) return {};
  const scenarios::ProcessEntry& entry = scenario.processes[*objective.entry];
  return " of " + (entry.name.empty() ? scenarios::model_name(entry) : entry.name);
}

}  // namespace

Aim aim_of(const scenarios::Scenario& scenario, const scenarios::Result& before) {
  Aim aim;
  if (parts_in(before).size() > 1) aim.tail = "worst p99";
  if (const auto asked = scenarios::objective_of(scenario)) {
    const std::string of = whose(*asked, scenario), name = std::string(asked->metric.words) + of;
    if (asked->entry) aim.tail = "p99" + of;
    aim.objective = asked;
    if (value_before(*asked, scenario, before)) {
      aim.of = Aim::Of::objective;
      aim.name = name;
      aim.unit = asked->metric.unit;
      aim.more_is_better = asked->metric.more_is_better;
      return aim;
    }
    aim.missing = name;
  }
  const bool overloaded = !overloaded_in(before).empty();
  const std::vector<UnitTotal> units = totals_of({before});
  if (all_have_arrivals(scenario) && !overloaded) {
    aim.of = Aim::Of::latency;
    aim.name = "mean latency";
    aim.unit = "ms";
    aim.more_is_better = false;
  } else if (units.size() == 1 && (overloaded || scenario.processes.size() == 1)) {
    aim.of = Aim::Of::rate;
    aim.name = std::string(units.front().unit) + "/s";
  }
  return aim;
}

Change aim_change(const Aim& aim, const Tried& tried, const scenarios::Scenario& scenario,
                  const scenarios::Result& before) {
  if (aim.of == Aim::Of::latency) return tried.latency_ms;
  if (aim.of == Aim::Of::rate) return tried.units.front().per_s;
  if (aim.of == Aim::Of::speed) return {1.0, speed_of(tried, before), std::nullopt};
  const scenarios::Objective& asked = *aim.objective;
  if (asked.metric.path == "system.power_w.mean") return tried.power_w;
  if (!asked.entry) return asked.metric.path == "system.throughput.mean" ? tried.throughput : tried.energy_mj;
  const std::vector<PartPlace> places = part_places(scenario);
  return {value_before(asked, scenario, before),
          objective_value(
              asked, tried.results,
              [&](std::size_t board, std::size_t i) { return places[tried.what_if.boards[board].parts[i]]; }),
          std::nullopt};
}

}  // namespace jostle::analyses
