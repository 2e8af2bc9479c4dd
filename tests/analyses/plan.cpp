// What `jostle plan` answers: against all points simulated, and of cameras and boards.
#include "analyses/plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/online.hpp"
#include "input/hash.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"
#include "tests/analyses/asked.hpp"
#include "tests/sanitized.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using analyses::testing::Asked;

using namespace scenarios;

using ::testing::HasSubstr;

const std::string small =
    "scenario: {device: jetson-orin-nano-super, run: {duration: 200 ms, warmup: 100 ms},\n"
    "           processes: [{model: resnet50, precision: int8}]}\n"
    "sweep:\n"
    "  processes.0.batch: [1, 2, 4, 8]\n"
    "  processes.0.count: [1, 2]\n"
    "  clocks.gpu: [306 MHz, 612 MHz, 918 MHz]\n";

PlanControl quick() {
  PlanControl control;
  control.intervals = false;
  return control;
}

TEST(Plan, of_a_small_study_is_the_best_of_all_points) {
  Asked asked(small + "objectives: [max system.throughput]\nconstraints: {system.power_w: {max: 9 W}}\n");
  Candidates candidates = asked.candidates();
  const Plan found = plan(candidates, quick());
  ASSERT_TRUE(found.best);
  EXPECT_TRUE(found.exhaustive);
  EXPECT_EQ(found.count.simulated, 24u);
  EXPECT_LE(found.best->values[1], 9);
  for (const auto& [point, seen] : candidates.evaluations()) {
    if (seen && (*seen)[1] <= 9) {
      EXPECT_LE((*seen)[0], 1.001 * found.best->values[0]);  // the best has been simulated anew
    }
  }
  // What the limit costs: a point that breaks it and is better.
  ASSERT_EQ(found.relaxed.size(), 1u);
  EXPECT_GT(found.relaxed[0].needed, 9);
  EXPECT_GT(found.relaxed[0].best.values[0], found.best->values[0]);
  // The runner-up shows something else, and is no better.
  ASSERT_TRUE(found.runner_up);
  EXPECT_NE(found.runner_up->settings, found.best->settings);
  EXPECT_LE(found.runner_up->values[0], found.best->values[0] * (1 + tie));
}

TEST(Plan, simulates_nothing_again) {
  Asked asked(small + "objectives: [max system.throughput]\n");
  Candidates first = asked.candidates(), second = asked.candidates();
  const Plan before = plan(first, quick());
  const Plan after = plan(second, quick());
  EXPECT_EQ(after.count.simulated, 0u);
  EXPECT_EQ(after.count.evaluated, before.count.evaluated);
  EXPECT_EQ(after.best->settings, before.best->settings);
}

TEST(Plan, never_recommends_what_does_not_fit_into_memory) {
  Asked asked(
      "scenario: {device: jetson-nano, run: {duration: 200 ms, warmup: 100 ms},\n"
      "           processes: [{model: fcn_resnet50, precision: fp16}]}\n"
      "sweep: {processes.0.batch: [1, 16, 64], processes.0.count: [1, 8, 16]}\n"
      "objectives: [max system.memory.used_mb]\n");  // it would like what does not fit best
  Candidates candidates = asked.candidates();
  const Plan found = plan(candidates, quick());
  EXPECT_GT(found.count.do_not_fit, 0u);
  ASSERT_TRUE(found.best);
  const auto outcome = asked.store.outcome(input::hex(asked.checked->points[found.best->point].key));
  EXPECT_EQ(outcome->status, PointStatus::ok);
}

TEST(Plan, says_how_near_a_limit_that_nothing_keeps_was_reached) {
  Asked asked(small + "objectives: [max system.throughput]\nconstraints: {system.power_w: {max: 2 W}}\n");
  Candidates candidates = asked.candidates();
  const Plan found = plan(candidates, quick());
  EXPECT_FALSE(found.best);
  ASSERT_EQ(found.missed.size(), 1u);
  EXPECT_GT(found.missed[0].nearest, 2);
}

TEST(Plan, gives_intervals_around_what_it_names) {
  Asked asked(small +
              "objectives: [max system.throughput, min system.power_w]\n"
              "constraints: {processes.latency_ms.p99: {max: 500 ms}}\n");
  Candidates candidates = asked.candidates();
  const Plan found = plan(candidates, {});
  ASSERT_TRUE(found.best);
  ASSERT_EQ(found.best->intervals.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(found.best->intervals[i]);
    EXPECT_LT(found.best->intervals[i]->first, found.best->values[i]);
    EXPECT_GT(found.best->intervals[i]->second, found.best->values[i]);
  }
  EXPECT_GE(found.front.size(), 2u);
}

const std::string tokens_by_users =
    "scenario: {device: jetson-orin-nano-super, run: {duration: 4 s, warmup: 1 s},\n"
    "           processes: [{model: qwen2.5_0.5b, precision: q4_k_m, generate: {prompt: 32, tokens: 16}}]}\n"
    "sweep: {processes.0.users: [1, 4]}\n"
    "plan: {energy_price: 0.36 USD/kWh}\n";

TEST(Plan, shows_tokens_and_the_energy_of_one_of_every_point_whatever_the_goal) {
  Asked asked(tokens_by_users + "objectives: [max system.throughput]\n");
  Candidates candidates = asked.candidates();
  const Plan found = plan(candidates, {});
  ASSERT_TRUE(found.best && found.best->tokens);
  for (const PlanPoint& point : found.every) ASSERT_TRUE(point.tokens && point.tokens->energy_mj);
  const PlanTokens& best = *found.best->tokens;
  for (const auto& [value, pi90] :
       {std::pair(best.per_s, best.per_s_pi90), std::pair(best.energy_mj, best.energy_pi90)}) {
    ASSERT_TRUE(pi90);
    EXPECT_LT(pi90->first, *value);
    EXPECT_GT(pi90->second, *value);
  }
  EXPECT_EQ(found.best->power_grade, "fitted");
  // More users share each reading of the weights.
  EXPECT_GT(*found.every.front().tokens->per_s, *found.every.back().tokens->per_s);
  EXPECT_LT(*found.every.front().tokens->energy_mj, *found.every.back().tokens->energy_mj);
  // 0.36 USD buy 3.6e9 mJ.
  EXPECT_NEAR(found.energy->per_million_tokens.value(), *found.energy->per_token_mj * 1e-4, 1e-9);
  EXPECT_FALSE(found.energy->counts_images);
}

TEST(Plan, chooses_by_the_energy_of_a_token_and_gives_its_interval) {
  Asked asked(tokens_by_users + "objectives: [min system.tokens.energy_mj, max system.tokens.per_s]\n");
  Candidates candidates = asked.candidates();
  const Plan found = plan(candidates, {});
  ASSERT_TRUE(found.best);
  EXPECT_EQ(found.best->settings, "{\"processes.0.users\":4}");
  EXPECT_TRUE(found.best->intervals[0] && found.best->intervals[1]);
  EXPECT_EQ(found.best->power_grade, "fitted");
}

TEST(Plan, of_networks_alone_has_no_tokens) {
  Asked asked(small + "objectives: [max system.throughput]\n");
  Candidates candidates = asked.candidates();
  const Plan found = plan(candidates, quick());
  ASSERT_TRUE(found.best);
  EXPECT_FALSE(found.best->tokens);
  EXPECT_TRUE(found.energy->counts_images);
  EXPECT_FALSE(found.energy->per_token_mj);
}

TEST(Plan, of_a_larger_study_is_within_one_percent_of_the_best_of_all) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  const std::string larger =
      "scenario: {device: jetson-orin-nano-super, run: {duration: 100 ms, warmup: 50 ms},\n"
      "           processes: [{model: mobilenet_v2, precision: int8}]}\n"
      "sweep:\n"
      "  clocks.gpu: {start: 306 MHz, stop: 1020 MHz, step: 51 MHz}\n"
      "  clocks.cpu: {start: 729.6 MHz, stop: 1728 MHz, step: 76.8 MHz}\n"
      "  processes.0.batch: [1, 2, 4, 8]\n"
      "objectives: [min system.energy_per_image_mj]\nconstraints: {system.throughput: {min: 500}}\n";
  Asked asked(larger);
  Candidates few = asked.candidates();
  const Plan found = plan(few, quick());
  EXPECT_FALSE(found.exhaustive);
  PlanControl all = quick();
  all.exhaustive = true;
  Candidates every = asked.candidates();
  const Plan truth = plan(every, all);
  ASSERT_TRUE(found.best && truth.best);
  EXPECT_NEAR(found.best->values[0], truth.best->values[0], 0.01 * truth.best->values[0]);
}

TEST(OnlineTuning, loses_nothing_once_settled_and_is_the_same_each_time) {
  Asked asked(small + "objectives: [max system.throughput]\n");
  Candidates candidates = asked.candidates();
  OnlineSettings settings;
  settings.windows = 60;
  settings.window = sim::milliseconds(200);
  const auto compared = tune_online(candidates, settings, nullptr);
  ASSERT_TRUE(compared);
  ASSERT_EQ(compared->tracks.size(), 3u);
  const OnlineTrack& sweep = compared->tracks[0];
  EXPECT_EQ(sweep.tried, 24u);
  EXPECT_EQ(sweep.settled, 24u);
  for (const OnlineTrack& track : compared->tracks) {
    EXPECT_EQ(track.regret.size(), 60u);
    EXPECT_TRUE(std::ranges::is_sorted(track.regret));
    if (track.settled && *track.settled < 60) {
      EXPECT_NEAR(track.regret.back(), track.regret[*track.settled], 60 * tie);
    }
  }
  // Learning from what is alike loses less than trying everything.
  EXPECT_LT(compared->tracks[1].regret.back(), sweep.regret.back());
  const auto again = tune_online(candidates, settings, nullptr);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(again->tracks[i].regret, compared->tracks[i].regret);
}

const std::string thirty_cameras =
    "scenario: {device: jetson-orin-nano-super, run: {duration: 1 s, warmup: 500 ms},\n"
    "           processes: [{model: yolov8n, precision: fp16, count: 2}]}\n"
    "sweep: {processes.0.batch: [1, 2]}\n"
    "fleet: {cameras: 30, rate: 15 /s, boards: [jetson-orin-nano-super, jetson-agx-orin-64gb],\n"
    "        price: {jetson-orin-nano-super: 249, jetson-agx-orin-64gb: 1999},\n"
    "        constraints: {processes.latency_ms.p99: {max: 100 ms}}}\n";

TEST(FleetPlan, gives_boards_that_keep_up_within_the_limits) {
  Asked asked(thirty_cameras);
  const Candidates candidates = asked.candidates();
  const Fleet found = fleet(*asked.study->fleet, candidates, {});
  ASSERT_EQ(found.choices.size(), 2u);
  for (const FleetChoice& choice : found.choices) {
    EXPECT_EQ(choice.boards, (30 + choice.capacity - 1) / choice.capacity);
    EXPECT_EQ(choice.max_cameras, (30 + choice.boards - 1) / choice.boards);
    EXPECT_LE(choice.values.at(0), 100);
    EXPECT_NEAR(choice.energy_kwh_day, choice.power_w * 24 / 1000, 1e-9);
    EXPECT_EQ(choice.p99_ms, choice.values.at(0));
    if (!choice.p99_pi90) continue;  // some boards as uncertain do not keep up
    EXPECT_LT(choice.p99_pi90->first, choice.p99_pi90->second);
  }
  EXPECT_LE(found.choices[0].price, found.choices[1].price);
}

TEST(FleetPlan, tries_every_power_mode_of_a_board_and_is_as_good_as_the_best_of_them_set_by_hand) {
  const std::string text =
      "scenario: {device: jetson-agx-orin-64gb, run: {duration: 500 ms, warmup: 200 ms},\n"
      "           processes: [{model: yolov8n, precision: fp16, count: 2}]}\n"
      "fleet: {cameras: 30, rate: 15 /s, boards: [jetson-agx-orin-64gb, nvidia-h200]}\n";
  Asked asked(text);
  const Fleet found = fleet(*asked.study->fleet, asked.candidates(), {});
  EXPECT_EQ(found.settings, 5U);  // four modes and one
  ASSERT_EQ(found.choices.size(), 2U);
  const FleetChoice& orin = *std::ranges::find(found.choices, "jetson-agx-orin-64gb", &FleetChoice::device);
  ASSERT_TRUE(orin.power_mode);
  EXPECT_EQ(orin.settings, "{}");
  input::Problems problems;
  const board::DeviceSpec device = *asked.profiles.find("jetson-agx-orin-64gb", "", problems)->spec;
  std::int64_t fewest = 1000;
  double least_w = 0;
  std::string best;
  for (const board::PowerMode& mode : device.power_modes) {
    std::string fixed = text;
    fixed.replace(fixed.find(", nvidia-h200"), 13, "");
    fixed.insert(fixed.find("run:"), "power_mode: " + mode.name + ", ");
    Asked one(fixed);
    const Fleet alone = fleet(*one.study->fleet, one.candidates(), {});
    EXPECT_EQ(alone.settings, 1U);
    if (alone.choices.empty()) continue;
    const FleetChoice& choice = alone.choices.front();
    EXPECT_EQ(choice.power_mode, mode.name);
    if (std::pair(choice.boards, choice.power_w) >= std::pair(fewest, least_w) && !best.empty()) continue;
    fewest = choice.boards;
    least_w = choice.power_w;
    best = mode.name;
  }
  EXPECT_EQ(*orin.power_mode, best);
  EXPECT_EQ(orin.boards, fewest);
  EXPECT_EQ(orin.power_w, least_w);
}

const std::string two_cameras =
    "scenario: {device: jetson-orin-nano-super, run: {duration: 500 ms, warmup: 200 ms},\n"
    "           processes: [{model: resnet18, precision: int8}]}\n"
    "fleet: {cameras: 2, rate: 15 /s, boards: [nvidia-h200, jetson-orin-nano-super]";

TEST(FleetPlan, takes_the_prices_of_profiles_and_puts_what_is_rented_last) {
  Asked asked(two_cameras + "}\n");
  const Fleet found = fleet(*asked.study->fleet, asked.candidates(), {});
  ASSERT_EQ(found.choices.size(), 2U);
  const FleetChoice &bought = found.choices[0], &rented = found.choices[1];
  EXPECT_EQ(bought.device, "jetson-orin-nano-super");
  EXPECT_EQ(bought.price, 249 * bought.boards);
  EXPECT_NEAR(bought.cost_per_hour.value(), *bought.price / (3 * 8760), 1e-9);
  EXPECT_NEAR(bought.cost_per_million.value(), *bought.cost_per_hour / (30 * 3600) * 1e6, 1e-9);
  EXPECT_FALSE(rented.price);
  input::Problems problems;
  const double per_hour = *asked.profiles.find("nvidia-h200", "", problems)->prices.per_hour_usd;
  EXPECT_EQ(rented.cost_per_hour, per_hour * static_cast<double>(rented.boards));
  EXPECT_FALSE(found.mix);  // of boards that are bought
}

TEST(FleetPlan, prefers_the_prices_of_the_study_and_counts_energy_where_it_has_a_price) {
  Asked asked(two_cameras +
              ", price: {jetson-orin-nano-super: 100}, price_per_hour: {nvidia-h200: 2}, life: 1 years,\n"
              "        energy_price: 0.5 USD/kWh}\n");
  const Fleet found = fleet(*asked.study->fleet, asked.candidates(), {});
  ASSERT_EQ(found.choices.size(), 2U);
  const FleetChoice& bought = found.choices[0];
  EXPECT_EQ(bought.price, 100 * bought.boards);
  EXPECT_NEAR(bought.cost_per_hour.value(), *bought.price / 8760 + bought.power_w / 1e3 * 0.5, 1e-9);
  EXPECT_EQ(found.choices[1].cost_per_hour, 2 * found.choices[1].boards);
}

TEST(FleetPlan, has_boards_without_power_modes_as_they_are) {
  Asked asked(
      "scenario: {device: raspberry-pi-3b, run: {duration: 4 s, warmup: 1 s},\n"
      "           processes: [{model: mobilenet_v2, precision: fp32, placement: cpu}]}\n"
      "fleet: {cameras: 2, rate: 0.5 /s, boards: [raspberry-pi-3b]}\n");
  const Fleet found = fleet(*asked.study->fleet, asked.candidates(), {});
  EXPECT_EQ(found.settings, 1U);
  ASSERT_EQ(found.choices.size(), 1U);
  EXPECT_FALSE(found.choices.front().power_mode);
}

TEST(FleetPlan, leaves_out_the_modes_of_a_board_that_a_setting_does_not_suit) {
  Asked asked(
      "scenario: {device: jetson-agx-orin-64gb, host_cores: 10, run: {duration: 200 ms, warmup: 100 ms},\n"
      "           processes: [{model: resnet18, precision: int8}]}\n"
      "fleet: {cameras: 2, rate: 15 /s, boards: [jetson-agx-orin-64gb]}\n");
  EXPECT_EQ(asked.candidates().size(), 2U);  // MAXN and 50W have twelve cores, the others four and eight
}

TEST(FleetPlan, of_a_limit_that_no_board_keeps_names_all_of_them) {
  std::string text = thirty_cameras;
  text.replace(text.find("max: 100 ms"), 11, "max: 100 us");
  Asked asked(text);
  const Candidates candidates = asked.candidates();
  const Fleet found = fleet(*asked.study->fleet, candidates, {});
  EXPECT_TRUE(found.choices.empty());
  EXPECT_EQ(found.carry_none.size(), 2u);
}

TEST(FleetPlan, refuses_arrivals_of_its_own_and_prices_of_boards_it_has_not) {
  input::Problems problems;
  std::string text = thirty_cameras;
  text.replace(text.find("count: 2"), 8, "arrivals: {poisson: 30 /s}");
  const auto study = parse_study(text, "s.yaml", "", problems);
  ASSERT_TRUE(study);
  EXPECT_FALSE(check_fleet(*study, problems));
  EXPECT_THAT(problems.text(), HasSubstr("processes.0.arrivals"));
  text = thirty_cameras;
  text.replace(text.find("price: {jetson-orin-nano-super"), 30, "price: {jetson-orin-nano-supper");
  input::Problems wrong;
  EXPECT_FALSE(parse_study(text, "s.yaml", "", wrong));
  EXPECT_THAT(wrong.text(), HasSubstr("jetson-orin-nano-super"));
}

RC_GTEST_PROP(FleetLaw, cameras_spread_over_processes_are_all_there_and_even, ()) {
  input::Problems problems;
  const auto count = *rc::gen::inRange<std::int64_t>(1, 9), cameras = *rc::gen::inRange<std::int64_t>(1, 60);
  Scenario scenario;
  ProcessEntry& entry = scenario.processes.emplace_back();
  entry.count = count;
  entry.work.batch = 4;
  const Scenario loaded = with_cameras(scenario, cameras, 15);
  std::int64_t streams = 0, least = cameras, most = 0, processes = 0;
  for (const ProcessEntry& each : loaded.processes) {
    streams += each.count * each.arrivals.streams;
    processes += each.count;
    least = std::min(least, each.arrivals.streams);
    most = std::max(most, each.arrivals.streams);
    RC_ASSERT(each.arrivals.dynamic_batch == 4);
  }
  RC_ASSERT(streams == cameras);
  RC_ASSERT(processes == std::min(count, cameras));
  RC_ASSERT(most - least <= 1);
}

RC_GTEST_PROP(FleetLaw, the_cheapest_mix_carries_all_and_is_no_dearer_than_any_other, ()) {
  const auto cameras = *rc::gen::inRange<std::int64_t>(1, 25);
  const std::vector<std::int64_t> capacities{*rc::gen::inRange<std::int64_t>(1, 9),
                                             *rc::gen::inRange<std::int64_t>(1, 9)};
  const std::vector<double> prices{static_cast<double>(*rc::gen::inRange(1, 50)),
                                   static_cast<double>(*rc::gen::inRange(1, 50))};
  const FleetMix mix = cheapest_mix(cameras, capacities, prices);
  const auto carries = [&](std::int64_t a, std::int64_t b) {
    return a * capacities[0] + b * capacities[1] >= cameras;
  };
  RC_ASSERT(carries(mix.boards[0], mix.boards[1]));
  RC_ASSERT(mix.price ==
            static_cast<double>(mix.boards[0]) * prices[0] + static_cast<double>(mix.boards[1]) * prices[1]);
  for (std::int64_t a = 0; a <= 25; ++a)
    for (std::int64_t b = 0; b <= 25; ++b)
      if (carries(a, b))
        RC_ASSERT(mix.price <= static_cast<double>(a) * prices[0] + static_cast<double>(b) * prices[1]);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
