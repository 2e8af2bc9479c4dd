// The metric that changes of a scenario are judged by: the first column of the table of changes, the figure
// behind each change that a sentence names, and the gain by which they are ordered.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"
#include "analyses/explain/shares.hpp"
#include "analyses/explain/worth.hpp"
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

constexpr std::string_view mean_path = "latency_ms.mean";

// The metric of a part; `path` as in scenarios/language/objective.hpp.
Metric value_of(const Part& part, std::string_view path) {
  constexpr std::string_view tokens = "tokens.", latency = "latency_ms.";
  if (path == "throughput.mean") return part.throughput().mean;
  if (path.starts_with(latency)) return time_of(part.latency_ms(), path.substr(latency.size()));
  const auto& own = part.tokens();
  return own ? tokens_of(*own, path.substr(tokens.size())) : std::nullopt;
}
// The half-width of its interval, where it is a mean latency.
Metric half_of(const Part& part, std::string_view path) {
  const scenarios::Interval& ci95 = part.latency_ms().ci95.mean;
  return ci95 && path == mean_path ? Metric((ci95->second - ci95->first) / 2) : std::nullopt;
}

// The objective's value, or what `get` reads, over the parts of its entry: the mean, or the sum of rates.
// `place`: the place before the change of a part in a board's result.
template <class Place>
Metric objective_value(const scenarios::Objective& objective, const std::vector<scenarios::Result>& results,
                       const Place& place, Metric (*get)(const Part&, std::string_view) = value_of) {
  Metric sum = 0.0;
  double count = 0;
  for (std::size_t board = 0; board < results.size(); ++board) {
    const std::vector<Part> parts = parts_in(results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (place(board, i).id.entry != *objective.entry) continue;
      const Metric value = get(parts[i], objective.metric.path);
      sum = sum && value ? Metric(*sum + *value) : std::nullopt;
      ++count;
    }
  }
  if (count == 0 || !sum) return std::nullopt;
  return objective.metric.more_is_better ? *sum : *sum / count;
}

// None if the run has none; of the board's energy, its power.
Metric value_before(const scenarios::Objective& objective, const scenarios::Scenario& scenario,
                    const scenarios::Result& before) {
  if (!objective.entry)
    return objective.metric.more_is_better ? before.system.throughput : before.system.power_w.mean;
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

// The mean latency of the entry that a limit on latency names, else of the one that takes longest; none if
// nothing has answered.
std::optional<scenarios::Objective> latency_of_one(const scenarios::Scenario& scenario,
                                                   const scenarios::Result& before) {
  std::optional<scenarios::Objective> longest;
  double most = 0;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    const scenarios::Objective one{entry, *scenarios::metric_row(mean_path)};
    const double value = value_before(one, scenario, before).value_or(0);
    const std::string path = fmt::format("processes.{}.latency_ms", place_of_entry(scenario, entry));
    const bool limited = std::ranges::any_of(scenario.constraints, [&path](const auto& constraint) {
      return constraint.metric.starts_with(path);
    });
    if (value > 0 && limited) return one;
    if (value > most) longest = one, most = value;
  }
  return longest;
}

// " of front"; empty where there is one entry.
std::string whose(const scenarios::Objective& objective, const scenarios::Scenario& scenario) {
  if (!objective.entry || scenario.processes.size() == 1) return {};
  const scenarios::ProcessEntry& entry = scenario.processes[*objective.entry];
  return " of " + scenarios::called(entry);
}

}  // namespace

Aim aim_of(const scenarios::Scenario& scenario, const scenarios::Result& before) {
  const auto asked = scenarios::objective_of(scenario);
  const std::string of = asked ? whose(*asked, scenario) : "";
  const std::string tail = asked && asked->entry         ? "p99" + of
                           : parts_in(before).size() > 1 ? "worst p99"
                                                         : "p99";
  const std::string name = asked ? std::string(asked->metric.words) + of : "";
  if (asked && value_before(*asked, scenario, before))
    return {Aim::Of::objective,           asked, name, std::string(asked->metric.unit),
            asked->metric.more_is_better, tail};
  const bool overloaded = !overloaded_in(before).empty();
  if (const auto one = latency_of_one(scenario, before); one && all_have_arrivals(scenario) && !overloaded)
    return {Aim::Of::latency, asked, "mean latency" + whose(*one, scenario), "ms", false, tail, name, one};
  const std::vector<UnitTotal> units = totals_of({before});
  if (units.size() == 1 && (overloaded || scenario.processes.size() == 1))
    return {Aim::Of::rate, asked, std::string(units.front().unit) + "/s", "", true, tail, name};
  return {Aim::Of::speed, asked, "speed", "", true, tail, name};
}

Change aim_change(const Aim& aim, const Tried& tried, const scenarios::Scenario& scenario,
                  const scenarios::Result& before) {
  if (aim.of == Aim::Of::rate) return tried.units.front().per_s;
  if (aim.of == Aim::Of::speed) return {1.0, speed_of(tried, before), std::nullopt};
  const scenarios::Objective& asked = aim.of == Aim::Of::latency ? *aim.latency : *aim.asked;
  if (asked.metric.path == "system.power_w.mean") return tried.power_w;
  if (!asked.entry) return asked.metric.path == "system.throughput.mean" ? tried.throughput : tried.energy_mj;
  const std::vector<PartPlace> places = part_places(scenario);
  const auto place = [&](std::size_t board, std::size_t i) {
    return places[tried.what_if.boards[board].parts[i]];
  };
  const Metric now = objective_value(
      asked, {before}, [&](std::size_t, std::size_t i) { return places[i]; }, half_of);
  const Metric then = objective_value(asked, tried.results, place, half_of);
  // Under overload latency grows without a mean, also of one that is itself served.
  const bool grows = aim.of == Aim::Of::latency && !tried.overloaded.empty();
  return {value_before(asked, scenario, before),
          grows ? std::nullopt : objective_value(asked, tried.results, place),
          now && then && !grows ? Metric(std::hypot(*now, *then)) : std::nullopt};
}

}  // namespace jostle::analyses
