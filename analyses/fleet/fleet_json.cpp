// The result of a fleet plan as one JSON object.
#include <nlohmann/json.hpp>

#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/plan.hpp"
#include "output/json.hpp"
#include "scenarios/result/metric_json.hpp"

namespace jostle::analyses {

using Json = nlohmann::ordered_json;

namespace {

Json out_of_reach_json(const std::optional<OutOfReach>& reach) {
  if (!reach) return nullptr;
  return {{"boards", reach->boards}, {"cameras_per_board", reach->cameras}, {"why", reach->why}};
}

}  // namespace

std::string fleet_json(const Fleet& fleet) {
  Json json{{"schema", "jostle.fleet/1"},
            {"cameras", fleet.cameras},
            {"rate", fleet.rate_per_s},
            {"settings", fleet.settings},
            {"simulated", fleet.simulated}};
  json["choices"] = Json::array();
  for (const FleetChoice& choice : fleet.choices) {
    Json one{{"device", choice.device},
             {"power_mode", choice.power_mode ? Json(*choice.power_mode) : Json(nullptr)},
             {"settings", output::parsed_json(choice.settings)},
             {"boards", choice.boards},
             {"cameras_per_board", choice.max_cameras},
             {"capacity", choice.capacity},
             {"power_w", choice.power_w},
             {"power_w_pi90", interval_json(choice.power_pi90)},
             {"power_grade", choice.power_grade ? Json(*choice.power_grade) : Json(nullptr)},
             {"power_of", choice.is_card ? "card" : "board"},
             {"energy_kwh_day", choice.energy_kwh_day},
             {"energy_per_frame_mj", metric_json(choice.energy_per_frame_mj)},
             {"latency_ms_p99", metric_json(choice.p99_ms)},
             {"latency_ms_p99_half_width", metric_json(choice.half_widths.back())},
             {"replications", choice.replications},
             {"p_feasible", choice.p_feasible},
             {"latency_ms_p99_pi90", interval_json(choice.p99_pi90)},
             {"price", metric_json(choice.price)},
             {"cost_per_hour", metric_json(choice.cost_per_hour)},
             {"cost_per_million_frames", metric_json(choice.cost_per_million)},
             {"energy_cost_per_hour", metric_json(choice.energy_per_hour)},
             {"energy_cost_per_million_frames", metric_json(choice.energy_per_million)},
             {"overload", overload_json(choice.overload)},
             {"more_cameras", out_of_reach_json(choice.more_cameras)},
             {"fewer_boards", out_of_reach_json(choice.fewer_boards)}};
    one["carries"] = carries_sentence(choice);
    one["if_off"] = nullptr;
    if (const auto& off = choice.if_off)
      one["if_off"] = {{"error", off->error}, {"capacity", {off->slow, off->fast}}};
    one["constraints"] = Json::array();
    for (std::size_t i = 0; i < choice.values.size(); ++i) {
      const Criterion& criterion = fleet.goal.criteria[i];
      one["constraints"].push_back({{"figure", fleet.goal.metrics[i]},
                                    {criterion.maximise ? "min" : "max", *criterion.limit},
                                    {"value", choice.values[i]},
                                    {"half_width", metric_json(choice.half_widths[i])},
                                    {"pi90", interval_json(choice.intervals[i])}});
    }
    if (!choice.sharing_note.empty()) one["sharing_note"] = choice.sharing_note;
    json["choices"].push_back(std::move(one));
  }
  json["carry_none"] = fleet.carry_none;
  if (!fleet.power_note.empty()) json["power_note"] = fleet.power_note;
  json["mix"] = nullptr;
  if (fleet.mix) {
    Json boards = Json::object();
    for (std::size_t i = 0; i < fleet.choices.size(); ++i)
      if (fleet.mix->boards[i] > 0) boards[fleet.choices[i].device] = fleet.mix->boards[i];
    json["mix"] = {{"boards", boards}, {"price", fleet.mix->price}};
  }
  return output::json_text(json);
}

}  // namespace jostle::analyses
