// Plans and comparisons of online tuners as one JSON object each.
#include <array>
#include <nlohmann/json.hpp>

#include "analyses/plan/plan.hpp"
#include "analyses/study/power_basis.hpp"
#include "output/json.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/metric_json.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const Plan& plan, const PlanPoint& point) {
  Json json{{"point", point.point}, {"settings", output::parsed_json(point.settings)}};
  for (const char* const part : {"objectives", "constraints"}) json[part] = Json::array();
  for (std::size_t i = 0; i < plan.goal.criteria.size(); ++i) {
    const Criterion& criterion = plan.goal.criteria[i];
    Json one{{"figure", plan.goal.metrics[i]}};
    if (criterion.limit)
      one[criterion.maximise ? "min" : "max"] = *criterion.limit;
    else
      one["sense"] = criterion.maximise ? "max" : "min";
    one["value"] = point.values[i];
    one["half_width"] = metric_json(point.half_widths[i]);
    one["pi90"] = interval_json(point.intervals[i]);
    if (point.power_grade && rests_on_power(plan.goal.metrics[i])) one["grade"] = *point.power_grade;
    json[criterion.limit ? "constraints" : "objectives"].push_back(std::move(one));
  }
  if (const auto& tokens = point.tokens)
    json["tokens"] = {
        {"per_s", {{"value", metric_json(tokens->per_s)}, {"pi90", interval_json(tokens->per_s_pi90)}}},
        {"energy_mj",
         {{"value", metric_json(tokens->energy_mj)},
          {"pi90", interval_json(tokens->energy_pi90)},
          {"grade", point.power_grade ? Json(*point.power_grade) : Json(nullptr)}}}};
  json["replications"] = point.replications;
  json["p_feasible"] = metric_json(point.p_feasible);
  json["dropped"] = point.dropped;
  if (!point.sharing_note.empty()) json["sharing_note"] = point.sharing_note;
  return json;
}

Json settings_of(const OnlineAnswer& answer, std::size_t candidate) {
  return output::parsed_json(answer.candidates.values(candidate));
}

Json next_better_json(const Plan& plan, const NextBetter& next) {
  const Criterion& objective = plan.goal.criteria[next.objective];
  Json json{{"point", next.point},
            {"settings", output::parsed_json(next.settings)},
            {"figure", plan.goal.metrics[next.objective]},
            {"sense", objective.maximise ? "max" : "min"},
            {"value", next.value},
            {"gain", next.gain}};
  json["missed"] = nullptr;
  if (next.limit)
    json["missed"] = {{"figure", plan.goal.metrics[*next.limit]},
                      {"limit", *plan.goal.criteria[*next.limit].limit},
                      {"value", next.limit_value},
                      {"by", next.by}};
  json["more_missed"] = next.more_limits;
  json["overloads"] = next.shortage ? Json(next.shortage->name) : Json(nullptr);
  json["stable_share"] = metric_json(next.stable_share);
  json["sentence"] = sentence_of(plan.goal, next);
  return json;
}

Json if_off_json(const Plan& plan) {
  const IfOff& off = *plan.if_off;
  Json missed = Json::array();
  for (const auto& [limit, value] : off.missed)
    missed.push_back({{"figure", plan.goal.metrics[limit]}, {"value", value}});
  return {{"error", off.error},
          {"overloads", off.shortage ? Json(off.shortage->name) : Json(nullptr)},
          {"stable_share", metric_json(off.served)},
          {"missed", std::move(missed)},
          {"sentence", sentence_of(plan.goal, off)}};
}

Json energy_json(const EnergyCost& energy) {
  Json json{{"power_w", energy.power_w},
            {"kwh_day", energy.kwh_day()},
            {"per_image_mj", metric_json(energy.per_image_mj)},
            {"cost_per_day", metric_json(energy.per_day)},
            {"cost_per_million_images", metric_json(energy.per_million)},
            {"grade", energy.grade ? Json(*energy.grade) : Json(nullptr)}};
  if (energy.per_token_mj) {
    json["per_token_mj"] = *energy.per_token_mj;
    json["cost_per_million_tokens"] = metric_json(energy.per_million_tokens);
  }
  return json;
}

}  // namespace

Json overload_json(const OverloadDistance& distance) {
  constexpr std::array units{"cameras", "processes", "percent"};
  return {{"unit", units.at(static_cast<std::size_t>(distance.load.unit))},
          {"asked", distance.load.asked},
          {"rate", metric_json(distance.load.rate_per_s)},
          {"carries", distance.carries},
          {"free_share", distance.free_share()},
          {"within_limits", distance.within ? Json(*distance.within) : Json(nullptr)},
          {"overloads_at", distance.overloads_at ? Json(*distance.overloads_at) : Json(nullptr)},
          {"overloads", distance.overloads_at ? Json(distance.shortage.name) : Json(nullptr)},
          {"sentence", sentence_of(distance)}};
}

std::string plan_json(const Plan& plan) {
  Json json{{"schema", "jostle.plan/1"},           {"points", plan.points},
            {"simulated", plan.count.simulated},   {"looked_at", plan.count.evaluated},
            {"do_not_fit", plan.count.do_not_fit}, {"overheat", plan.count.overheat},
            {"overloaded", plan.count.overloaded}, {"failed", plan.count.failed},
            {"exhaustive", plan.exhaustive},       {"converged", plan.converged}};
  json["verdict"] = plan.verdict ? scenarios::json_of(*plan.verdict) : Json(nullptr);
  json["best"] = plan.best ? point_json(plan, *plan.best) : Json(nullptr);
  if (plan.best) {
    json["best"]["overload"] = plan.overload ? overload_json(*plan.overload) : Json(nullptr);
    json["best"]["if_off"] = plan.if_off ? if_off_json(plan) : Json(nullptr);
    json["best"]["energy"] = plan.energy ? energy_json(*plan.energy) : Json(nullptr);
  }
  json["runner_up"] = plan.runner_up ? point_json(plan, *plan.runner_up) : Json(nullptr);
  if (plan.runner_up) json["runner_up"]["sentence"] = plan.runner_up_sentence;
  json["alone"] = Json::array();
  for (const PlanEffect& effect : plan.alone)
    json["alone"].push_back({{"point", effect.point},
                             {"settings", output::parsed_json(effect.settings)},
                             {"figure", plan.goal.metrics.front()},
                             {"value", effect.value},
                             {"overloaded", effect.overloaded},
                             {"why", effect.why}});
  json["next_better"] = plan.next_better ? next_better_json(plan, *plan.next_better) : Json(nullptr);
  json["every"] = Json::array();
  for (const PlanPoint& point : plan.every) json["every"].push_back(point_json(plan, point));
  json["front"] = Json::array();
  for (const PlanPoint& point : plan.front) json["front"].push_back(point_json(plan, point));
  json["relaxed"] = Json::array();
  for (const Relaxed& relaxed : plan.relaxed)
    json["relaxed"].push_back({{"figure", plan.goal.metrics[relaxed.criterion]},
                               {"limit", *plan.goal.criteria[relaxed.criterion].limit},
                               {"needed", relaxed.needed},
                               {"best", point_json(plan, relaxed.best)}});
  json["missed"] = Json::array();
  for (const Missed& missed : plan.missed)
    json["missed"].push_back({{"figure", plan.goal.metrics[missed.criterion]},
                              {"limit", *plan.goal.criteria[missed.criterion].limit},
                              {"nearest", missed.nearest}});
  json["near_misses"] = Json::array();
  for (const NearMiss& miss : plan.near_misses) {
    Json one = point_json(plan, miss.point);
    one["verdict"] = miss.infeasible ? "infeasible" : "undecided";
    json["near_misses"].push_back(std::move(one));
  }
  json["least_overloaded"] = nullptr;
  if (const auto& least = plan.least_overloaded)
    json["least_overloaded"] = {{"point", least->point},
                                {"settings", output::parsed_json(least->settings)},
                                {"stable_share", least->stable_share}};
  json["confidence"] = plan.goal.confidence;
  json["indifference"] = plan.goal.indifference;
  json["simulated_s"] = {{"search", plan.search_s}, {"replications", plan.replicated_s}};
  json["decided"] = plan.decided;
  if (!plan.power_note.empty()) json["power_note"] = plan.power_note;
  return output::json_text(json);
}

std::string power_note(const OnlineAnswer& answer) {
  const std::size_t best = answer.comparison.best;
  if (!answer.candidates.power_grade(best)) return {};
  const scenarios::Scenario scenario = answer.candidates.scenario(best);
  return power_note({{scenario.device, answer.candidates.profiles().required(scenario)}});
}

std::string online_json(const OnlineAnswer& answer) {
  Json json{{"schema", "jostle.online/1"},
            {"points", answer.candidates.size()},
            {"window_s", answer.window_s},
            {"best", {{"settings", settings_of(answer, answer.comparison.best)}}}};
  json["tuners"] = Json::array();
  for (const OnlineTrack& track : answer.comparison.tracks)
    json["tuners"].push_back({{"method", track.method},
                              {"tried", track.tried},
                              {"settled_after", track.settled ? Json(*track.settled) : Json(nullptr)},
                              {"last_settings", settings_of(answer, track.last)},
                              {"last_score", track.last_score},
                              {"regret", track.regret}});
  if (const std::string note = power_note(answer); !note.empty()) json["power_note"] = note;
  return output::json_text(json);
}

}  // namespace jostle::analyses
