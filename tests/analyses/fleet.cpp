// Fleets: links, servers, the busiest hour, boards that may be lost, kinds that lack something.
#include "analyses/fleet/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/analyses/asked.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using analyses::testing::Asked;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

Fleet fleet_of(const std::string& text, bool intervals = false) {
  Asked asked(text);
  FleetControl control;
  control.intervals = intervals;
  return fleet(*asked.study->fleet, asked.candidates(), control);
}

// A server that takes 5 ms of the whole GPU for a frame, so that it carries 200 frames/s and no more.
std::string cameras(int count, const std::string& rate, const std::string& more) {
  return "scenario: {device: nvidia-h200, figures: {gpu.idle_wake.cost: 0 us}, run: {duration: 2 s, warmup: "
         "200 ms},\n"
         "  processes: [{model: {kernels: 1, duration: 5 ms, blocks: 132, threads: 256}, runtime: "
         "cuda-graph, sync: spin}]}\n"
         "fleet: {cameras: " +
         std::to_string(count) + ", rate: " + rate + ", boards: [nvidia-h200]" + more + "}\n";
}

std::string problems_of(const std::string& text) {
  input::Problems problems;
  Profiles profiles;
  if (const auto study = parse_study(text, "s.yaml", "", problems))
    (void)check_points(*study, profiles, 0, nullptr, problems);
  return problems.text();
}

// 100 kB take 0.8 ms at 1 Gbit/s.
TEST(FleetLinks, add_their_round_trip_and_the_time_of_a_request_to_the_latency) {
  const FleetChoice here = fleet_of(cameras(1, "10 /s", "")).choices.at(0);
  const Fleet behind = fleet_of(
      cameras(1, "10 /s", ", link: {nvidia-h200: {bandwidth: 1 Gbit/s, rtt: 20 ms, payload: 100 kB}}"));
  const FleetChoice& there = behind.choices.at(0);
  EXPECT_NEAR(there.p99_ms.value() - here.p99_ms.value(), 20.8, 0.01);
  EXPECT_FALSE(here.rtt_ms);
  EXPECT_EQ(there.rtt_ms, 20);
  EXPECT_EQ(there.settings, "{}");
  EXPECT_THAT(verdict_of(behind).text, StartsWith("1 x nvidia-h200 at 20 ms: p99 latency 25.9 ms"));
  EXPECT_TRUE(Json::parse(fleet_json(behind))["choices"][0]["rtt_ms"] == 20);
}

TEST(FleetLinks, are_checked_as_those_of_scenarios_and_belong_to_boards_of_the_fleet) {
  EXPECT_THAT(problems_of(cameras(1, "10 /s", ", link: {nvidia-h200: {bandwidth: 1 Gbit/s}}")),
              HasSubstr("rtt: missing required key"));
  EXPECT_THAT(problems_of(cameras(1, "10 /s", ", link: {nvidia-h20: {bandwidth: 1 Gbit/s, rtt: 1 ms}}")),
              HasSubstr("did you mean 'nvidia-h200'?"));
}

TEST(FleetServers, add_their_watts_to_those_of_each_card) {
  const Fleet alone = fleet_of(cameras(40, "15 /s", ", price: {nvidia-h200: 100}"));
  const Fleet whole = fleet_of(
      cameras(40, "15 /s",
              ", price: {nvidia-h200: 100}, host_power: {nvidia-h200: 300 W}, energy_price: 0.2 USD/kWh"));
  const FleetChoice &card = alone.choices.at(0), &server = whole.choices.at(0);
  ASSERT_EQ(card.boards, 4);
  EXPECT_NEAR(server.power_w, card.power_w + 4 * 300, 1e-9);
  EXPECT_NEAR(server.energy_kwh_day, server.power_w * 24 / 1000, 1e-9);
  EXPECT_NEAR(server.energy_per_frame_mj.value(), server.power_w / 600 * 1e3, 1e-6);
  EXPECT_NEAR(server.energy_per_hour.value(), server.power_w / 1000 * 0.2, 1e-9);
  EXPECT_THAT(watts_words(card), HasSubstr("W without their servers"));
  EXPECT_THAT(watts_words(server), HasSubstr("W with their servers"));
  EXPECT_THAT(alone.power_note, HasSubstr("without its server"));
  EXPECT_THAT(whole.power_note, Not(HasSubstr("without its server")));
  EXPECT_EQ(Json::parse(fleet_json(whole))["choices"][0]["power_of"], "server");
}

// 13 cameras at 15 frames/s or 26 at 7.5 frames/s keep a board busy to 97.5 %.
TEST(FleetMargins, count_the_busiest_hour_and_a_lost_board_and_say_what_each_costs) {
  const Fleet found = fleet_of(
      cameras(40, "7.5 /s", ", peak: 2, spare: 1, price: {nvidia-h200: 100}, energy_price: 0.2 USD/kWh"));
  const FleetChoice& choice = found.choices.at(0);
  EXPECT_EQ(choice.capacity, 13);
  EXPECT_EQ(choice.boards, 5);
  EXPECT_EQ(choice.max_cameras, 8);
  ASSERT_TRUE(choice.for_mean && choice.without_spare);
  EXPECT_EQ(choice.for_mean->boards, 2);
  EXPECT_EQ(choice.without_spare->boards, 4);
  EXPECT_EQ(choice.without_spare->price, 400);
  EXPECT_EQ(choice.price, 500);
  EXPECT_LT(choice.day_w, choice.power_w);  // half the load
  EXPECT_NEAR(choice.energy_kwh_day, choice.day_w * 24 / 1000, 1e-9);
  EXPECT_NEAR(choice.cost_per_hour.value(), 500.0 / 3 / 8760 + choice.day_w / 1000 * 0.2, 1e-9);
  ASSERT_EQ(choice.states.size(), 3U);  // the busiest hour, ordinary hours, one lost
  EXPECT_GE(choice.states[2].p99_ms.value(), choice.p99_ms.value());
  const std::vector<std::string> costs = margin_costs(found, choice);
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_THAT(
      costs[0],
      StartsWith("the busiest hour, 2 times the mean, takes 4 boards in place of 2 and a price of 200 more"));
  EXPECT_THAT(costs[1],
              StartsWith("that 1 board may be lost takes 5 boards in place of 4 and a price of 100 more"));
  EXPECT_THAT(choice.fewer_boards.value().why, HasSubstr("overload the GPU"));
  EXPECT_EQ(choice.fewer_boards->boards, 4);
  EXPECT_EQ(choice.fewer_boards->cameras, 14);  // on each of three
  const Json json = Json::parse(fleet_json(found));
  EXPECT_EQ(json["choices"][0]["margins"][1], costs[1]);
  EXPECT_EQ(json["choices"][0]["for_mean"]["boards"], 2);
  EXPECT_EQ(json["peak"], 2);
}

TEST(FleetMargins, of_a_board_less_are_those_of_its_strongest_setting) {
  const Fleet found = fleet_of(
      "scenario: {device: jetson-orin-nano-super, run: {duration: 2 s, warmup: 200 ms},\n"
      "           processes: [{model: yolov8s, precision: int8}]}\n"
      "fleet: {cameras: 24, rate: 12 /s, boards: [jetson-orin-nano-super],\n"
      "        constraints: {processes.latency_ms.p99: {max: 100 ms}}}\n",
      true);
  const FleetChoice& choice = found.choices.at(0);
  ASSERT_TRUE(choice.strongest) << choice.power_mode.value_or("");
  EXPECT_EQ(choice.power_mode, "15W");
  EXPECT_EQ(choice.strongest->setting, " in mode MAXN_SUPER");
  EXPECT_GT(choice.strongest->cameras, choice.capacity);
  EXPECT_GE(choice.strongest->slow, choice.if_off.value().slow);
  EXPECT_THAT(choice.fewer_boards.value().why,
              HasSubstr("could be served in mode MAXN_SUPER, which carries the most"));
}

TEST(FleetMargins, are_judged_in_the_state_in_which_a_limit_is_nearest) {
  const std::string limit = ", spare: 1, constraints: {processes.latency_ms.p99: {max: 90 ms}}";
  const Fleet found = fleet_of(cameras(40, "7.5 /s", ", peak: 2" + limit), true);
  const FleetChoice& choice = found.choices.at(0);
  const scenarios::Verdict verdict = verdict_of(found);
  EXPECT_THAT(verdict.text, HasSubstr("1 of which may be lost: p99 latency with 1 lost "));
  EXPECT_EQ(verdict.value, choice.states.at(2).p99_ms);
  ASSERT_EQ(verdict.limits.size(), 3U);
  EXPECT_EQ(verdict.limits[1].words, "p99 latency in ordinary hours");
  EXPECT_THAT(verdict.question, Not(HasSubstr("MAXN")));
  const Json off = Json::parse(fleet_json(found))["choices"][0]["if_off"];
  EXPECT_EQ(off["boards"][1], boards_if(found, off["capacity"][0]));
  EXPECT_GE(off["boards"][1], choice.boards);
}

// A batch of 4 of four cameras fills in 75 ms at 10 frames/s, in 38 ms at 20, and in 300 ms of a lone camera.
std::string batches(const std::string& more) {
  return "scenario: {device: jetson-orin-nano-super, power_mode: 15W, run: {duration: 2 s, warmup: 200 ms},\n"
         "           processes: [{model: resnet18, precision: int8}]}\n"
         "sweep: {processes.0.batch: [4]}\n"
         "fleet: {cameras: 4, rate: 10 /s, boards: [jetson-orin-nano-super],\n"
         "        constraints: {processes.latency_ms.p99: {max: 150 ms}}" +
         more + "}\n";
}

TEST(FleetMargins, judge_ordinary_hours_where_a_batch_fills_later_and_say_so) {
  const Fleet found = fleet_of(batches(", peak: 2"));
  EXPECT_EQ(found.asked.board, "power mode 15W");
  EXPECT_EQ(found.asked.networks, "resnet18 int8");
  const FleetChoice& choice = found.choices.at(0);
  EXPECT_GT(choice.states.at(1).p99_ms.value(), choice.states.at(0).p99_ms.value());
  EXPECT_EQ(verdict_of(found).value, choice.states[1].p99_ms);
  EXPECT_THAT(verdict_of(found).text, HasSubstr("(batch 4): p99 latency in ordinary hours"));
  EXPECT_THAT(margin_costs(found, choice).back(), HasSubstr("with more frames a batch of 4 fills sooner"));
}

TEST(FleetKinds, that_carry_the_cameras_on_fewer_boards_alone_say_which_number_misses_a_limit) {
  const Fleet found = fleet_of(batches(", spare: 3"));
  ASSERT_EQ(found.carry_none.size(), 1U);
  EXPECT_THAT(found.carry_none[0].why, StartsWith("one carries up to 4 cameras, but"));
  EXPECT_THAT(found.carry_none[0].why, HasSubstr("one has 1 at 10 frames/s: "));
  EXPECT_EQ(verdict_of(found).text, "no kind of board carries these cameras within the limits");
}

// Two requests an hour through a day and six more in one hour: 8 of 55 in an hour of 24.
TEST(FleetMargins, take_the_busiest_hour_of_a_trace) {
  const auto file = std::filesystem::temp_directory_path() / "jostle-fleet-day.csv";
  const auto peak_of = [&](int hours) {
    std::ofstream day(file);
    for (int half = 0; half <= 2 * hours; ++half) {
      day << 1800 * half << "\n";
      for (int more = 1; half == 20 && more <= 6; ++more) day << 1800 * half + 60 * more << "\n";
    }
    day.close();
    input::Problems problems;
    const auto study = parse_study(cameras(1, "10 /s", ", peak: " + file.string()), "s.yaml", "", problems);
    return study ? std::to_string(study->fleet->peak) : problems.text();
  };
  EXPECT_EQ(peak_of(24), std::to_string(8 * 24.0 / 55));
  EXPECT_THAT(peak_of(0), HasSubstr("shorter than an hour"));
  std::filesystem::remove(file);
  EXPECT_THAT(problems_of(cameras(1, "10 /s", ", peak: 0.5")), HasSubstr("fleet.peak"));
}

const std::string two_kinds =
    "scenario: {device: jetson-orin-nano-super, run: {duration: 500 ms, warmup: 200 ms},\n"
    "           processes: [{model: resnet18, precision: int8}]}\n";

TEST(FleetKinds, that_lack_something_are_a_row_with_the_reason_and_a_typo_is_an_error) {
  const Fleet found = fleet_of(
      two_kinds + "fleet: {cameras: 2, rate: 15 /s, boards: [jetson-orin-nano-super, raspberry-pi-5]}\n");
  ASSERT_EQ(found.choices.size(), 1U);
  ASSERT_EQ(found.carry_none.size(), 1U);
  EXPECT_EQ(found.carry_none[0].device, "raspberry-pi-5");
  EXPECT_EQ(found.carry_none[0].why, "raspberry-pi-5 has no GPU that computes");
  const Json json = Json::parse(fleet_json(found));
  EXPECT_EQ(json["carry_none"], Json({"raspberry-pi-5"}));
  EXPECT_EQ(json["left_out"][0]["why"], found.carry_none[0].why);
  EXPECT_THAT(
      problems_of(two_kinds +
                  "fleet: {cameras: 2, rate: 15 /s, boards: [jetson-orin-nano-super, raspbery-pi-5]}\n"),
      HasSubstr("did you mean 'raspberry-pi-5'?"));
  EXPECT_THAT(problems_of(two_kinds +
                          "fleet: {cameras: 2, rate: 15 /s, boards: [raspberry-pi-4b, raspberry-pi-5]}\n"),
              HasSubstr("has no GPU that computes"));  // no kind is left
}

// Frames of sources that are out of step wait for each other, the more of them there are.
TEST(FleetCurve, rises_with_the_cameras_to_where_a_board_no_longer_keeps_up) {
  const Fleet found =
      fleet_of(cameras(40, "15 /s", ", constraints: {processes.latency_ms.p99: {max: 60 ms}}"), true);
  const FleetChoice& choice = found.choices.at(0);
  const std::vector<CurvePoint>& curve = choice.curve;
  ASSERT_GE(curve.size(), 5U);
  EXPECT_EQ(curve.front().cameras, 1);
  EXPECT_EQ(curve.back().cameras, 14);
  EXPECT_FALSE(curve.back().p99_ms);
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    EXPECT_GT(curve[i].cameras, curve[i - 1].cameras);
    EXPECT_GE(curve[i].p99_ms.value(), 0.99 * curve[i - 1].p99_ms.value());
  }
  bool has_choice = false;
  for (const CurvePoint& point : curve) {
    has_choice |= point.cameras == choice.max_cameras && point.p99_ms == choice.p99_ms;
    if (!point.pi90) continue;
    EXPECT_LE(point.pi90->first, *point.p99_ms);
    EXPECT_GE(point.pi90->second, *point.p99_ms);
  }
  EXPECT_TRUE(has_choice);
  EXPECT_TRUE(curve.front().pi90);
  const Json json = Json::parse(fleet_json(found));
  EXPECT_EQ(json["choices"][0]["curve"].size(), curve.size());
  EXPECT_EQ(json["choices"][0]["curve"][0]["latency_ms_p99"], *curve.front().p99_ms);
  EXPECT_EQ(json["verdict"]["met"], true);
  EXPECT_NEAR(json["verdict"]["limit"].get<double>(), 60, 1e-9);
}

TEST(FleetMix, splits_the_cameras_and_compares_costs_an_hour_where_a_kind_is_rented) {
  const FleetMix mix = cheapest_mix(30, {22, 9}, {249, 99});
  EXPECT_EQ(mix.boards, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(mix.price, 348);
  EXPECT_EQ(mix.cameras[0] + mix.cameras[1], 30);
  EXPECT_LE(mix.cameras[0], 22);
  EXPECT_LE(mix.cameras[1], 9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
