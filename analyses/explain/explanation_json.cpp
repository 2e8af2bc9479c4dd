// An explanation as one JSON object.
#include <nlohmann/json.hpp>

#include "analyses/explain/explain.hpp"
#include "analyses/interval/relative_power.hpp"
#include "analyses/metrics/metric.hpp"
#include "output/json.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/metric_json.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;
using scenarios::Metric;

// Percent in tenths, so that 536 is written as 53.6.
Json percent_or_null(const std::optional<Permille>& share) {
  if (!share) return nullptr;
  Json json = Json::object();
  for (const process::ShareRow& row : process::share_rows)
    json[std::string(row.name)] = (*share)[index_of(row.share)] / 10.0;
  return json;
}

Json change(const Change& change) {
  Json json{{"before", metric_json(change.before)},
            {"after", metric_json(change.after)},
            {"relative", metric_json(change.relative())}};
  if (change.half_width && change.before && change.after) {
    const double difference = *change.after - *change.before;
    json["difference_ci95"] = {difference - *change.half_width, difference + *change.half_width};
  } else {
    json["difference_ci95"] = nullptr;
  }
  return json;
}

// The streams of a process that has several; null for one without.
Json instances(const scenarios::ProcessResult& process) {
  if (process.instances.empty()) return nullptr;
  Json json = Json::array();
  for (const scenarios::InstanceResult& instance : process.instances) {
    json.push_back(
        {{"index", instance.index},
         {"name", instance.name},
         {"model", instance.model},
         {"throughput", metric_json(instance.throughput.mean)},
         {"latency_ms",
          {{"mean", metric_json(instance.latency_ms.mean)}, {"p99", metric_json(instance.latency_ms.p99)}}}});
  }
  return json;
}

Json process(const Explanation& explanation, std::size_t index) {
  const scenarios::ProcessResult& process = explanation.result.processes[index];
  const std::optional<Permille> share =
      process.time_share ? std::optional(rounded(*process.time_share)) : std::nullopt;
  return {{"index", index},
          {"entry", process.entry},
          {"name", process.name},
          {"model", process.model},
          {"status", process.status},
          {"throughput", metric_json(process.throughput.mean)},
          {"offered", metric_json(process.offered)},
          {"stable", process.stable ? Json(*process.stable) : Json(nullptr)},
          {"backlog_growth", metric_json(process.backlog_growth)},
          {"latency_ms",
           {{"mean", metric_json(process.latency_ms.mean)}, {"p99", metric_json(process.latency_ms.p99)}}},
          {"percent", percent_or_null(share)},
          {"gpu_running_by",
           {{"compute", metric_json(process.gpu_running_by.compute)},
            {"memory", metric_json(process.gpu_running_by.memory)},
            {"fixed", metric_json(process.gpu_running_by.fixed)},
            {"throttled", metric_json(process.gpu_running_by.throttled)}}},
          {"instances", instances(process)}};
}

Json changes(const ProcessChange& each, std::size_t index) {
  Json json{{"index", index},
            {"status", each.status},
            {"throughput", change(each.throughput)},
            {"latency_mean_ms", change(each.latency_ms)},
            {"latency_p99_ms", change(each.p99_ms)}};
  for (std::size_t i = 0; i < each.instances.size(); ++i)
    json["instances"].push_back(changes(each.instances[i], i));
  return json;
}

// The winners and losers; null for a change that leaves the sharing of the GPU as it is.
Json outcomes(const Tried& tried) {
  if (tried.outcomes.groups.empty()) return nullptr;
  Json json{{"sentence", tried.outcomes.sentence}, {"groups", Json::array()}};
  for (const GroupOutcome& group : tried.outcomes.groups) {
    json["groups"].push_back({{"label", group.label},
                              {"count", group.parts.size()},
                              {"kernel_us", metric_json(group.kernel_us)},
                              {"gain", group.gain},
                              {"gain_of", group.of_latency ? "latency" : "throughput"},
                              {"keeps_up", group.keeps_up},
                              {"fate", group.fate == Fate::same ? "same" : to_string(group.fate)}});
  }
  return json;
}

// Totals by unit, and the energy of an image and of a token; with intervals of tokens after the change, if
// they were asked for.
Json units(const Tried& tried, const scenarios::Result& before) {
  Json json = Json::object();
  for (const UnitChange& unit : tried.units) {
    Json& one = json[unit.unit] = {{"per_s", change(unit.per_s)}, {"energy_mj", change(unit.energy_mj)}};
    const auto& tokens = before.system.tokens;
    if (unit.unit != "tokens" || !tokens || !tokens->per_s_pi90) continue;
    one["per_s"]["pi90"] = interval_json(
        interval_of_mean(relative_interval(tokens->per_s_pi90, tokens->per_s), unit.per_s.after));
    one["energy_mj"]["pi90"] = interval_json(
        interval_of_mean(relative_interval(tokens->energy_pi90, tokens->energy_mj), unit.energy_mj.after));
  }
  return json;
}

// Tokens of all language models, and the energy of one.
Json tokens_json(const scenarios::TotalTokens& tokens) {
  const std::string& grade = tokens.power_grade;
  return {{"per_s", {{"mean", metric_json(tokens.per_s)}, {"pi90", interval_json(tokens.per_s_pi90)}}},
          {"energy_mj",
           {{"mean", metric_json(tokens.energy_mj)},
            {"pi90", interval_json(tokens.energy_pi90)},
            {"grade", grade.empty() ? Json(nullptr) : Json(grade)}}}};
}

// Logarithms of ratios, which add up to `net`.
Json worth(const Tried& tried, const scenarios::Result& before) {
  const Worth& worth = tried.worth;
  return {{"net", worth.net()},
          {"gain", worth.gain},
          {"price",
           {{"latency", worth.latency},
            {"energy", worth.energy},
            {"given_up", worth.given_up},
            {"boards", worth.boards}}},
          {"rescues", worth.rescues},
          {"ruins", worth.ruins},
          {"accuracy", worth.accuracy_unknown ? "unknown" : "same"},
          {"words", prices_in_words(tried, before)}};
}

Json limits(const Explanation& explanation) {
  Json json = Json::array();
  for (const ActiveLimit& limit : explanation.limits) {
    json.push_back({{"limit", limit.name}, {"share", limit.share}, {"sentence", limit.sentence}});
    json.back()["ended_by"] = Json::array();
    for (const std::size_t index : limit.ended_by)
      json.back()["ended_by"].push_back(explanation.tried[index].what_if.label);
  }
  return json;
}

// `relative`: the interval of power before the change, relative to its mean; absent: not asked.
Json what_if(const Tried& tried, const scenarios::Result& before, const scenarios::Interval& relative) {
  Json json{{"name", tried.what_if.name}, {"label", tried.what_if.label}};
  json["resource"] =
      tried.what_if.resource ? Json(std::string(to_string(*tried.what_if.resource))) : Json(nullptr);
  json["kind"] = std::string(to_string(tried.what_if.kind));
  json["role"] = to_string(tried.what_if.role);
  json["fits"] = tried.all_fit;
  json["figure"] = tried.figure;
  json["meets"] = tried.meets ? Json(*tried.meets) : Json(nullptr);
  json["objective"] = change(tried.objective);
  json["throughput"] = change(tried.throughput);
  json["latency_mean_ms"] = change(tried.latency_ms);
  json["latency_p99_ms"] = change(tried.p99_ms);
  json["power_w"] = change(tried.power_w);
  if (relative) json["power_w"]["pi90"] = interval_json(interval_of_mean(relative, tried.power_w.after));
  json["energy_per_image_mj"] = change(tried.energy_mj);
  json["by_unit"] = units(tried, before);
  json["worth"] = worth(tried, before);
  json["fallback"] = tried.what_if.note.empty() ? Json(nullptr) : Json(tried.what_if.note);
  json["clocks_mhz"] = Json::object();
  for (const ClockChange& clock : tried.clocks) {
    Json& mhz = json["clocks_mhz"][clock.domain] = change(clock.mhz);
    mhz["by_governor"] = clock.by_governor;
  }
  json["overloaded"] = tried.overloaded;
  json["sentence"] = tried.sentence;
  json["processes"] = Json::array();
  for (std::size_t i = 0; i < tried.processes.size(); ++i)
    json["processes"].push_back(changes(tried.processes[i], i));
  json["standings"] = outcomes(tried);
  // The scenarios that ran: `jostle run` of each gives the same results.
  json["scenarios"] = Json::array();
  for (const scenarios::Result& result : tried.results)
    json["scenarios"].push_back(output::parsed_json(result.resolved));
  return json;
}

Json overload(const Explanation& explanation) {
  if (!explanation.overload) return nullptr;
  const Overload& overload = *explanation.overload;
  Json json{{"offered", overload.offered}, {"served", overload.served}, {"sentence", overload.sentence}};
  json["stable_with"] = Json::array();
  for (const std::size_t index : overload.stable_with)
    json["stable_with"].push_back(explanation.tried[index].what_if.name);
  return json;
}

Json way_json(const Way& way) {
  Json json{{"what_if", way.name.empty() ? Json(nullptr) : Json(way.name)}, {"label", way.label}};
  json["processes"] = Json::array();
  for (const WayPart& part : way.parts)
    json["processes"].push_back({{"label", part.label},
                                 {"throughput", metric_json(part.per_s)},
                                 {"p99_ms", metric_json(part.p99_ms)},
                                 {"mean_ms", metric_json(part.mean_ms)},
                                 {"grows", part.grows}});
  json["memory_mb"] = metric_json(way.memory_mb);
  json["isolation"] = way.isolation.empty() ? Json(nullptr) : Json(way.isolation);
  json["reason"] = way.reason.empty() ? Json(nullptr) : Json(way.reason);
  return json;
}

Json reported(const Explanation& explanation) {
  const Reported& tool = explanation.reported;
  const auto& system = explanation.result.system;
  Json json{{"tool", tool.tool},
            {"gpu_percent", metric_json(tool.gpu_percent)},
            {"cpu_percent", metric_json(tool.cpu_percent)},
            {"emc_percent", metric_json(tool.emc_percent)}};
  json["rails_w"] = Json::object();
  for (const auto& [rail, watts] : tool.rails_w) json["rails_w"][rail] = watts;
  json["truth"] = {{"gpu_busy", metric_json(system.gpu.busy)},
                   {"sm_active", metric_json(system.gpu.array.sm_active)},
                   {"issue_slot", metric_json(system.gpu.array.issue_slot)},
                   {"tensor_active", metric_json(system.gpu.array.tensor_active)},
                   {"busy_cores", metric_json(system.cpu.busy_cores)},
                   {"bandwidth_gb_s", metric_json(system.memory.bandwidth_gb_s)},
                   {"peak_bandwidth_gb_s", metric_json(tool.peak_bandwidth_gb_s)}};
  return json;
}

Json groups_json(const Explanation& explanation) {
  Json groups = Json::array();
  for (const Explained& explained : explanation.groups) {
    groups.push_back({{"label", explained.group.label},
                      {"processes", explained.group.processes},
                      {"percent", percent_or_null(explained.share)},
                      {"batch_ms", metric_json(explained.batch_ms)},
                      {"sentence", explained.sentence}});
    if (!explained.pieces.empty()) groups.back()["pieces"] = explained.pieces;
    if (!explained.latency.empty()) groups.back()["latency"] = explained.latency;
    if (!explained.turns.empty()) groups.back()["turns"] = explained.turns;
  }
  return groups;
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  const scenarios::Result& result = explanation.result;
  Json json{{"schema", "jostle.explain/1"},
            {"scenario", result.scenario},
            {"scenario_hash", result.scenario_hash},
            {"device", result.device},
            {"profile_hash", result.profile_hash},
            {"seed", result.seed},
            {"status", result.status}};
  json["verdict"] = result.verdict ? scenarios::json_of(*result.verdict) : Json(nullptr);
  const auto grade = scenarios::power_grade(result);
  json["power_grade"] = grade ? Json(*grade) : Json(nullptr);
  json["power_w"] = {{"mean", metric_json(result.system.power_w.mean)},
                     {"pi90", interval_json(result.system.power_w.pi90)}};
  if (result.system.tokens) json["tokens"] = tokens_json(*result.system.tokens);
  json["objective"] = {{"name", explanation.aim.name},
                       {"unit", explanation.aim.unit},
                       {"more_is_better", explanation.aim.more_is_better},
                       {"p99", explanation.aim.tail}};
  json["overloaded"] = overloaded_in(result);
  json["overload"] = overload(explanation);
  json["dropped"] = ResultMetrics(result).dropped();
  json["processes"] = Json::array();
  for (std::size_t i = 0; i < result.processes.size(); ++i)
    json["processes"].push_back(process(explanation, i));
  json["groups"] = groups_json(explanation);
  if (!explanation.tenants.empty()) json["tenants"] = explanation.tenants;
  json["critical"] = nullptr;
  if (const auto& critical = explanation.critical) {
    json["critical"] = {{"resource", to_string(critical->resource)},
                        {"shown_by", critical->what_if ? "what_if" : "share"},
                        {"what_if", nullptr},
                        {"gain", critical->what_if ? Json(critical->gain) : Json(nullptr)},
                        {"gain_of", explanation.aim.of == Aim::Of::latency ? "latency"
                                    : explanation.aim.of == Aim::Of::rate  ? "throughput"
                                                                           : "worth"},
                        {"share", critical->share},
                        {"sentence", critical->sentence}};
    if (critical->what_if) json["critical"]["what_if"] = explanation.tried[*critical->what_if].what_if.name;
  }
  json["what_ifs"] = Json::array();
  const auto relative = relative_power_interval(result);
  for (const Tried& tried : explanation.tried) json["what_ifs"].push_back(what_if(tried, result, relative));
  json["ways"] = Json::array();
  for (const Way& way : explanation.ways) json["ways"].push_back(way_json(way));
  json["leading"] = Json::array();
  for (const std::size_t index : explanation.leading)
    json["leading"].push_back(explanation.tried[index].what_if.name);
  json["limits"] = limits(explanation);
  json["reported"] = reported(explanation);
  json["resolved"] = output::parsed_json(result.resolved);
  return output::json_text(json);
}

}  // namespace jostle::analyses
