// The grade of a board's power stands beside watts, energies and what they cost, in every answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyses/compare/compare.hpp"
#include "analyses/explain/explain.hpp"
#include "analyses/fleet/fleet.hpp"
#include "analyses/interval/power_interval.hpp"
#include "analyses/offload/offload.hpp"
#include "analyses/plan/plan.hpp"
#include "analyses/study/power_basis.hpp"
#include "analyses/study/sweep.hpp"
#include "profiles/profile/profile.hpp"
#include "tests/analyses/asked.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using analyses::testing::Asked;

using namespace scenarios;
using namespace scenarios::testing;

using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::string assumed = "nvidia-a40", fitted = "nvidia-h100";

std::string study(const std::string& objectives) {
  return "scenario: {device: " + assumed +
         ", run: {duration: 100 ms, warmup: 50 ms},\n"
         "           processes: [{model: resnet50, precision: fp16}]}\n"
         "sweep:\n  processes.0.batch: [1, 2]\nobjectives: [" +
         objectives + "]\n";
}

Json planned(const std::string& objectives) {
  Asked asked(study(objectives));
  Candidates candidates = asked.candidates();
  PlanControl control;
  control.intervals = false;
  return Json::parse(plan_json(plan(candidates, control)));
}

TEST(PowerGrades, are_of_metrics_that_rest_on_the_power_model) {
  for (const char* const path : {"system.power_w", "system.power_w.peak", "system.power_w.rails.VDD_IN",
                                 "system.energy_per_image_mj", "processes.0.tokens.tokens_per_joule"})
    EXPECT_TRUE(rests_on_power(path)) << path;
  for (const char* const path : {"system.throughput", "processes.latency_ms.p99", "system.link.power_w"})
    EXPECT_FALSE(rests_on_power(path)) << path;
}

TEST(PowerGrades, of_several_boards_are_one_sentence) {
  Profiles profiles;
  PoweredBoards boards;
  EXPECT_EQ(power_note(boards), "");
  const auto add = [&](const std::string& device) {
    input::Problems problems;
    boards[device] = profiles.find(device, "", problems);
  };
  add("jetson-orin-nano-super");
  EXPECT_EQ(power_note(boards), "");
  add("nvidia-l4");
  add(assumed);
  EXPECT_THAT(power_note(boards), HasSubstr("the power of nvidia-a40, nvidia-l4 is assumed"));
}

TEST(PowerGrades, say_which_watts_are_of_a_card_without_its_server) {
  Asked asked(
      "scenario: {device: jetson-orin-nano-super, run: {duration: 500 ms, warmup: 100 ms},\n"
      "           processes: [{model: resnet50, precision: int8}]}\n"
      "fleet: {cameras: 2, rate: 15 /s, boards: [jetson-orin-nano-super, nvidia-l4]}\n");
  FleetControl control;
  control.intervals = false;
  const Json json = Json::parse(fleet_json(fleet(*asked.study->fleet, asked.candidates(), control)));
  EXPECT_EQ(json["choices"][0]["power_of"], "board");
  EXPECT_EQ(json["choices"][1]["power_of"], "card");
  EXPECT_TRUE(json["choices"][1]["price"].is_null());
  EXPECT_THAT(json["power_note"].get<std::string>(),
              HasSubstr("the power of nvidia-l4 is that of the card, without its server"));
}

TEST(PowerGrades, stand_beside_the_criteria_of_a_plan_that_rest_on_power) {
  const Json json = planned("min system.power_w, max system.throughput");
  EXPECT_EQ(json["best"]["objectives"][0]["grade"], "assumed");
  EXPECT_FALSE(json["best"]["objectives"][1].contains("grade"));
  EXPECT_THAT(json["power_note"].get<std::string>(), HasSubstr("the power of " + assumed));
  EXPECT_FALSE(planned("max system.throughput").contains("power_note"));
}

TEST(PowerGrades, stand_beside_the_watts_of_a_fleet) {
  Asked asked(
      "scenario: {device: nvidia-a40, run: {duration: 500 ms, warmup: 100 ms},\n"
      "           processes: [{model: resnet50, precision: fp16}]}\n"
      "fleet: {cameras: 2, rate: 15 /s, boards: [nvidia-a40]}\n");
  FleetControl control;
  control.intervals = false;
  const Json json = Json::parse(fleet_json(fleet(*asked.study->fleet, asked.candidates(), control)));
  EXPECT_EQ(json["choices"][0]["power_grade"], "assumed");
  EXPECT_THAT(json["power_note"].get<std::string>(), HasSubstr(assumed));
}

TEST(PowerGrades, are_in_comparisons_and_explanations) {
  const auto scenario = [](const std::string& device) {
    return scenario_of("device: " + device +
                           "\nrun: {duration: 50 ms, warmup: 10 ms}\nprocesses: [{model: resnet50, "
                           "precision: fp16, runtime: cuda-graph}]\n",
                       nullptr, {});
  };
  const Json json =
      Json::parse(comparison_json(compare(scenario(assumed), scenario(fitted), {.most = 2}, {}), {"a", "b"}));
  EXPECT_EQ(json["a"]["power_grade"], "assumed");
  EXPECT_EQ(json["b"]["power_grade"], "fitted");
  const Explanation explained =
      explain({.scenario = scenario(fitted), .directory = "", .what_ifs = {"double-bandwidth"}}, {});
  EXPECT_EQ(Json::parse(explanation_json(explained))["power_grade"], "fitted");
}

// The interval holds the mean and has a width.
void expect_around(const Json& pi90, double mean_w) {
  ASSERT_TRUE(pi90.is_array()) << pi90;
  EXPECT_LT(pi90[0].get<double>(), 0.99 * mean_w);
  EXPECT_GT(pi90[1].get<double>(), 1.01 * mean_w);
}

TEST(PowerIntervals, are_in_comparisons_and_explanations_if_they_are_asked_for) {
  const Scenario scenario = scenario_of(
      "device: jetson-orin-nano-super\nrun: {duration: 50 ms, warmup: 10 ms}\nprocesses: [{model: resnet50, "
      "precision: fp16}]\n",
      nullptr, {});
  Compared sides = compare(scenario, scenario, {.most = 2}, {});
  EXPECT_TRUE(Json::parse(comparison_json(sides, {"a", "b"}))["a"]["power_w_pi90"].is_null());
  add_power_interval(sides.a.front(), scenario, {});
  const Json compared_json = Json::parse(comparison_json(sides, {"a", "b"}));
  expect_around(compared_json["a"]["power_w_pi90"], sides.a.front().system.power_w.mean.value());
  EXPECT_TRUE(compared_json["b"]["power_w_pi90"].is_null());

  Explanation explained =
      explain({.scenario = scenario, .directory = "", .what_ifs = {"double-bandwidth"}}, {});
  EXPECT_TRUE(Json::parse(explanation_json(explained))["power_w"]["pi90"].is_null());
  add_power_interval(explained.result, scenario, {});
  const Json json = Json::parse(explanation_json(explained));
  const Json& after = json["what_ifs"][0]["power_w"];
  expect_around(json["power_w"]["pi90"], json["power_w"]["mean"].get<double>());
  expect_around(after["pi90"], after["after"].get<double>());
  // The change runs on the same device: its interval is as wide, relative to its mean.
  const auto relative = [](const Json& pi90, const Json& mean) {
    return pi90[1].get<double>() / mean.get<double>();
  };
  EXPECT_NEAR(relative(after["pi90"], after["after"]),
              relative(json["power_w"]["pi90"], json["power_w"]["mean"]), 1e-9);
}

TEST(PowerGrades, of_both_ends_of_a_link_are_in_every_line_of_an_offload_study) {
  input::Problems problems;
  Profiles profiles;
  const auto read = parse_study(
      "scenario:\n  device: jetson-orin-nano-super\n  processes: [{model: resnet50, precision: fp16, "
      "arrivals: {periodic: 30 /s}}]\n  run: {duration: 500 ms, warmup: 100 ms}\noffload:\n"
      "  cloud: {device: nvidia-a40, processes: [{model: resnet50, precision: fp16}]}\n"
      "  link: {bandwidth: 50 Mbit/s, rtt: 10 ms}\n",
      "cameras.yaml", "", problems);
  ASSERT_TRUE(read) << problems.text();
  const auto question = offload_question(*read, profiles, problems);
  ASSERT_TRUE(question) << problems.text();
  OffloadControl control;
  control.interval = true;
  const OffloadAnswer answer = offload(*question, control);
  const std::string lines = offload_json(answer);
  const Json first = Json::parse(lines.substr(0, lines.find('\n')));
  EXPECT_EQ(first["edge_power_grade"], "fitted");
  EXPECT_EQ(first["cloud_power_grade"], "assumed");
  expect_around(first["edge"]["edge_power_w_pi90"], first["edge"]["edge_power_w"].get<double>());
  expect_around(first["cloud"]["cloud_power_w_pi90"], first["cloud"]["cloud_power_w"].get<double>());
  EXPECT_TRUE(first["edge"]["cloud_power_w_pi90"].is_null()) << "no cloud is used";
  EXPECT_THAT(answer.power_note, HasSubstr("nvidia-a40"));
}

TEST(PowerGrades, are_a_column_of_a_study) {
  Asked asked(study("max system.throughput"));
  (void)sweep({*asked.study, *asked.checked, asked.profiles, asked.store}, {});
  SqlStatement rows(asked.store.database(), "SELECT DISTINCT power_grade FROM results");
  ASSERT_TRUE(rows.step());
  EXPECT_EQ(rows.text(0), "assumed");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
