// The comparison of two scenarios as one JSON object.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyses/compare/cause.hpp"
#include "analyses/compare/compare.hpp"
#include "analyses/interval/power_interval.hpp"
#include "output/json.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/metric_json.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;

Json differences_json(const std::vector<Difference>& differences) {
  Json json = Json::array();
  for (const Difference& each : differences) {
    Json row{{"figure", each.metric},
             {"unit", each.unit},
             {"a", metric_json(each.a)},
             {"b", metric_json(each.b)},
             {"difference", metric_json(each.difference)},
             {"relative", metric_json(each.relative())},
             {"ci95", nullptr},
             {"significant", each.significant()}};
    if (each.difference && each.half_width)
      row["ci95"] = {*each.difference - *each.half_width, *each.difference + *each.half_width};
    json.push_back(std::move(row));
  }
  return json;
}

Json overload_json(const OverloadedRuns& overload) {
  return {{"runs", overload.runs}, {"stable_share", metric_json(overload.stable_share)}};
}

// `mean_w`: power over all pairs.
Json side(const std::vector<scenarios::Result>& results, const std::string& name,
          const scenarios::Metric& mean_w, const std::string& isolation) {
  const scenarios::Result& first = results.front();
  const auto grade = scenarios::power_grade(first);
  return {{"name", name},
          {"scenario", first.scenario},
          {"device", first.device},
          {"profile_hash", first.profile_hash},
          {"isolation", isolation},
          {"power_grade", grade ? Json(*grade) : Json(nullptr)},
          {"power_w_pi90", interval_json(interval_of_mean(relative_power_interval(first), mean_w))},
          {"resolved", output::parsed_json(first.resolved)}};
}

}  // namespace

std::string comparison_json(const Compared& compared, const ComparedNames& names) {
  const auto power = std::ranges::find(compared.system, "power", &Difference::metric);
  const bool known = power != compared.system.end();
  Json json{{"schema", "jostle.compare/1"},
            {"replications", compared.a.size()},
            {"seed", compared.a.front().seed},
            {"a", side(compared.a, names.a, known ? power->a : std::nullopt, compared.isolation_a)},
            {"b", side(compared.b, names.b, known ? power->b : std::nullopt, compared.isolation_b)}};
  json["verdict"] = compared.verdict ? scenarios::json_of(*compared.verdict) : Json(nullptr);
  if (compared.until) {
    json["until"] = *compared.until;
    json["reached"] = compared.known_to(*compared.until);
  }
  const auto stream = [](const Unit& unit) { return unit.stream ? Json(*unit.stream) : Json(nullptr); };
  json["processes"] = Json::array();
  for (const ComparedProcess& process : compared.processes) {
    json["processes"].push_back({{"a", process.a.process},
                                 {"b", process.b.process},
                                 {"instance", {{"a", stream(process.a)}, {"b", stream(process.b)}}},
                                 {"label", process.label},
                                 {"figures", differences_json(process.metrics)},
                                 {"overloaded",
                                  {{"a", overload_json(process.overload_a)},
                                   {"b", overload_json(process.overload_b)},
                                   {"pairs_with_latency", process.with_latency}}}});
  }
  const auto unmatched = [&](const std::vector<Unit>& units) {
    Json list = Json::array();
    for (const Unit& unit : units)
      list.push_back({{"index", unit.process}, {"instance", stream(unit)}, {"label", unit.label}});
    return list;
  };
  json["only_in_a"] = unmatched(compared.only_a);
  json["only_in_b"] = unmatched(compared.only_b);
  json["system"] = differences_json(compared.system);
  json["why"] = causes_of(compared);
  return output::json_text(json);
}

}  // namespace jostle::analyses
