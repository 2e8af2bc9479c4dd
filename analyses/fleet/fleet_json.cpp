// The result of a fleet plan as one JSON object.
#include <nlohmann/json.hpp>

#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/plan.hpp"
#include "output/json.hpp"
#include "scenarios/result/metric_json.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::analyses {

using Json = nlohmann::ordered_json;

namespace {

Json out_of_reach_json(const std::optional<OutOfReach>& reach) {
  if (!reach) return nullptr;
  return {{"boards", reach->boards}, {"cameras_per_board", reach->cameras}, {"why", reach->why}};
}

Json bill_json(const std::optional<Bill>& bill) {
  if (!bill) return nullptr;
  return {{"boards", bill->boards},
          {"power_w", bill->power_w},
          {"price", metric_json(bill->price)},
          {"cost_per_hour", metric_json(bill->cost_per_hour)}};
}

Json curve_json(const std::vector<CurvePoint>& curve) {
  Json json = Json::array();
  for (const CurvePoint& point : curve)
    json.push_back({{"cameras", point.cameras},
                    {"latency_ms_p99", metric_json(point.p99_ms)},
                    {"pi90", interval_json(point.pi90)}});
  return json;
}

Json choice_json(const Fleet& fleet, const FleetChoice& choice) {
  Json one{{"device", choice.device},
           {"power_mode", choice.power_mode ? Json(*choice.power_mode) : Json(nullptr)},
           {"settings", output::parsed_json(choice.settings)},
           {"boards", choice.boards},
           {"cameras_per_board", choice.max_cameras},
           {"capacity", choice.capacity},
           {"power_w", choice.power_w},
           {"power_w_pi90", interval_json(choice.power_pi90)},
           {"power_grade", choice.power_grade ? Json(*choice.power_grade) : Json(nullptr)},
           {"power_of", choice.host_w    ? "server"
                        : choice.is_card ? "card"
                                         : "board"},
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
    one["if_off"] = {{"error", off->error},
                     {"capacity", {off->slow, off->fast}},
                     {"boards", {boards_if(fleet, off->fast), boards_if(fleet, off->slow)}}};
  one["constraints"] = Json::array();
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const Criterion& criterion = fleet.goal.criteria[i];
    one["constraints"].push_back({{"figure", fleet.goal.metrics[i]},
                                  {criterion.maximise ? "min" : "max", *criterion.limit},
                                  {"value", choice.values[i]},
                                  {"half_width", metric_json(choice.half_widths[i])},
                                  {"pi90", interval_json(choice.intervals[i])}});
  }
  one["margins"] = margin_costs(fleet, choice);
  // The margins of the plan: the busiest hour, boards that may be lost, a link, a server.
  one["rtt_ms"] = metric_json(choice.rtt_ms);
  one["host_power_w"] = metric_json(choice.host_w);
  one["day_power_w"] = choice.day_w;
  one["for_mean"] = bill_json(choice.for_mean);
  one["without_spare"] = bill_json(choice.without_spare);
  one["lost_latency_ms_p99"] = fleet.spare > 0 ? metric_json(choice.states.back().p99_ms) : Json(nullptr);
  one["curve"] = curve_json(choice.curve);
  if (!choice.sharing_note.empty()) one["sharing_note"] = choice.sharing_note;
  return one;
}

}  // namespace

std::string fleet_json(const Fleet& fleet) {
  Json json{{"schema", "jostle.fleet/1"},   {"cameras", fleet.cameras},
            {"rate", fleet.rate_per_s},     {"settings", fleet.settings},
            {"simulated", fleet.simulated}, {"verdict", scenarios::json_of(verdict_of(fleet))},
            {"peak", fleet.peak},           {"spare", fleet.spare}};
  json["choices"] = Json::array();
  for (const FleetChoice& choice : fleet.choices) json["choices"].push_back(choice_json(fleet, choice));
  json["carry_none"] = json["left_out"] = Json::array();
  for (const auto& [device, why] : fleet.carry_none) {
    json["carry_none"].push_back(device);
    json["left_out"].push_back({{"device", device}, {"why", why}});
  }
  if (!fleet.power_note.empty()) json["power_note"] = fleet.power_note;
  json["mix"] = nullptr;
  if (fleet.mix) {
    Json boards = Json::object(), cameras = Json::object();
    for (std::size_t i = 0; i < fleet.choices.size(); ++i) {
      if (fleet.mix->boards[i] == 0) continue;
      boards[fleet.choices[i].device] = fleet.mix->boards[i];
      cameras[fleet.choices[i].device] = fleet.mix->cameras[i];
    }
    json["mix"] = {{"boards", boards}, {"cameras", cameras}};
    json["mix"][fleet.mix->per_hour ? "cost_per_hour" : "price"] = fleet.mix->price;
  }
  return output::json_text(json);
}

}  // namespace jostle::analyses
