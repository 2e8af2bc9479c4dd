// Margins in the words of `jostle plan`: headroom, the distance to overload, the next better point, the cost
// of energy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/alternatives.hpp"
#include "analyses/plan/overload.hpp"
#include "analyses/plan/plan.hpp"
#include "analyses/plan/words.hpp"
#include "analyses/verdict/slower.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/run/run.hpp"
#include "tests/analyses/asked.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using analyses::testing::Asked;

using namespace scenarios;

using ::testing::HasSubstr;

Plan planned(const std::string& text) {
  Asked asked(text);
  Candidates candidates = asked.candidates();
  PlanControl control;
  control.intervals = false;
  return plan(candidates, control);
}

Fleet fleet_of(const std::string& text) {
  Asked asked(text);
  FleetControl control;
  control.intervals = false;
  return fleet(*asked.study->fleet, asked.candidates(), control);
}

Scenario scenario_of(const std::string& text) {
  input::Problems problems;
  const auto scenario = parse_scenario({text, "s.yaml", ""}, shipped_catalogue(), {}, problems);
  if (!scenario) throw std::runtime_error(problems.text());
  return *scenario;
}

bool keeps_up(const Scenario& scenario) {
  return !shortage_in(*run(scenario, RunControl{}));
}

// A server that takes 5 ms of the whole GPU for a frame, so that it carries 200 frames/s and no more.
const std::string server =
    "{model: {kernels: 1, duration: 5 ms, blocks: 132, threads: 256}, runtime: cuda-graph, sync: spin, ";
const std::string quiet = "device: nvidia-h200, figures: {gpu.idle_wake.cost: 0 us}";

// Rates from 110 to 230 /s.
std::string rates(const std::string& plan) {
  return "scenario: {" + quiet + ", run: {duration: 2 s},\n  processes: [" + server +
         "arrivals: {periodic: 100 /s}}]}\n"
         "sweep: {processes.0.arrivals.periodic: {start: 110 /s, stop: 230 /s, step: 10 /s}}\n"
         "objectives: [max system.throughput]\n" +
         plan;
}

double best_rate(const Plan& plan) {
  return plan.best ? plan.best->values.at(0) : 0;
}

TEST(Headroom, that_is_greater_never_chooses_a_higher_rate_and_keeps_what_it_says) {
  double before = 1e9;
  for (const int percent : {0, 10, 20, 35, 50}) {
    const Plan found = planned(rates("plan: {headroom: " + std::to_string(percent) + " %}\n"));
    const double rate = best_rate(found);
    EXPECT_LE(rate, before) << percent;
    EXPECT_LE(rate, 200 * (1 - percent / 100.0) + 1) << percent;
    EXPECT_GE(rate, percent == 50 ? 0 : 200 * (1 - percent / 100.0) - 10) << percent;
    before = rate;
  }
}

TEST(Headroom, of_nothing_is_the_answer_without_it) {
  EXPECT_EQ(plan_json(planned(rates("plan: {headroom: 0 %}\n"))), plan_json(planned(rates(""))));
}

TEST(Headroom, that_is_missed_is_told_as_the_share_that_stays_free) {
  const Plan found = planned(rates("plan: {headroom: 20 %}\n"));
  ASSERT_TRUE(found.next_better);
  ASSERT_TRUE(found.next_better->limit);
  EXPECT_EQ(found.goal.metrics[*found.next_better->limit], headroom_metric);
  // 170 of 200 frames/s leave 15 % free.
  EXPECT_NEAR(found.next_better->limit_value, 1 - found.next_better->value / 200, 0.01);
  EXPECT_THAT(sentence_of(found.goal, *found.next_better),
              HasSubstr("with 25 % more requests it would not keep up (headroom 19.7 %, not 20 %)"));
}

TEST(Headroom, is_told_as_more_requests_with_what_becomes_of_the_limits_then) {
  std::string text = rates("plan: {headroom: 20 %}\n");
  const Plan alone = planned(text);
  EXPECT_EQ(alone.at_headroom, "with 25 % more requests, the headroom of 20 %, it keeps up");
  ASSERT_FALSE(alone.neighbours.empty());
  EXPECT_TRUE(alone.neighbours[0].better);
  EXPECT_THAT(alone.neighbours[0].sentence, HasSubstr("but with 25 % more requests it would not keep up"));
  const Plan limited = planned(text + "constraints: {processes.latency_ms.p99: {max: 30 ms}}\n");
  EXPECT_THAT(limited.verdict.value().text, HasSubstr("it keeps up and p99 latency is "));
}

TEST(Neighbours, are_the_next_settings_that_one_would_rather_choose_a_sentence_for_each_key) {
  const Plan found = planned(
      "scenario: {device: jetson-orin-nano-super, run: {duration: 200 ms, warmup: 100 ms},\n"
      "           processes: [{model: resnet50, precision: int8}]}\n"
      "sweep: {processes.0.batch: [1, 2, 4, 8], clocks.gpu: [306 MHz, 612 MHz, 918 MHz]}\n"
      "objectives: [max system.throughput]\n");
  ASSERT_EQ(found.neighbours.size(), 2U);  // not the worst: 612 MHz and batch 4
  EXPECT_THAT(found.neighbours[0].settings, HasSubstr("612 MHz"));
  EXPECT_THAT(found.neighbours[1].settings, HasSubstr("\"processes.0.batch\":4"));
  EXPECT_THAT(found.neighbours[0].sentence, ::testing::ContainsRegex("throughput .* images/s, .* % less"));
  EXPECT_FALSE(found.why_neighbour.empty());
}

TEST(Overload, tells_up_to_which_load_the_limits_are_kept) {
  const Plan found = planned("scenario: {" + quiet + ", run: {duration: 4 s},\n  processes: [" + server +
                             "arrivals: {periodic: 15 /s, streams: 5}}]}\n"
                             "sweep: {processes.0.arrivals.streams: [5]}\nobjectives: [min system.power_w]\n"
                             "constraints: {processes.latency_ms.p99: {max: 11 ms}}\n");
  ASSERT_TRUE(found.overload && found.overload->within);
  EXPECT_GE(*found.overload->within, 5);
  EXPECT_LT(*found.overload->within, found.overload->carries);
  EXPECT_THAT(sentence_of(*found.overload), HasSubstr("up to " + std::to_string(*found.overload->within) +
                                                      " keep the limit of p99 latency, 13"));
}

TEST(Headroom, does_not_hide_behind_the_limit_of_a_queue) {
  std::string text = rates("plan: {headroom: 20 %}\n");
  text.insert(text.find("arrivals:"), "queue: 2, ");
  EXPECT_LE(best_rate(planned(text)), 161);
}

TEST(Headroom, is_refused_where_nothing_arrives_by_itself_and_where_a_fleet_has_its_own) {
  const auto problem = [](const std::string& text) {
    Asked asked(text);
    const Candidates candidates = asked.candidates();
    input::Problems problems;
    EXPECT_FALSE(check_margins(*asked.study, candidates, problems));
    return problems.text();
  };
  const std::string closed =
      "scenario: {device: nvidia-h200, processes: [{model: resnet50, precision: fp16}]}\n";
  EXPECT_THAT(problem(closed + "objectives: [max system.throughput]\nplan: {headroom: 20 %}\n"),
              HasSubstr("plan.headroom"));
  EXPECT_THAT(
      problem(closed + "fleet: {cameras: 2, rate: 5 /s, boards: [jetson-nano]}\nplan: {headroom: 20 %}\n"),
      HasSubstr("fleet: {headroom"));
}

TEST(Overload, is_found_at_the_first_count_of_cameras_that_does_not_keep_up) {
  const Scenario scenario = scenario_of("{" + quiet + ", run: {duration: 2 s}, processes: [" + server +
                                        "arrivals: {periodic: 15 /s, streams: 5}}]}");
  const auto load = load_of(scenario);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->unit, LoadUnit::cameras);
  const OverloadDistance found = distance_to_overload(
      *load, [&](std::int64_t count) { return *run(at_load(scenario, *load, count), RunControl{}); });
  EXPECT_EQ(found.carries, 13);  // 195 of 200 frames/s
  EXPECT_EQ(found.overloads_at, 14);
  EXPECT_EQ(found.shortage.name, "gpu");
  EXPECT_EQ(sentence_of(found), "5 cameras; up to 13 keep up, 14 would overload the GPU at 15 frames/s");
  Load more = *load;
  more.asked = 15;
  EXPECT_EQ(sentence_of({more, 13, 14, found.shortage}),
            "15 cameras at 15 frames/s are too many: up to 13 keep up, 14 would overload the GPU");
  EXPECT_EQ(sentence_of({more, 0, 1, found.shortage}),
            "15 cameras at 15 frames/s would overload the GPU, and so would 1");
  // By runs of scenarios that say so themselves.
  for (const std::int64_t cameras : {13, 14}) {
    Scenario written = scenario;
    written.processes[0].arrivals.streams = cameras;
    EXPECT_EQ(keeps_up(written), cameras == 13);
  }
}

TEST(Overload, of_one_source_is_told_as_a_rate_and_of_processes_as_their_number) {
  const auto told = [](const std::string& arrivals) {
    const Scenario scenario =
        scenario_of("{" + quiet + ", run: {duration: 2 s}, processes: [" + server + arrivals + "}]}");
    const auto load = load_of(scenario);
    return sentence_of(distance_to_overload(
        *load, [&](std::int64_t count) { return *run(at_load(scenario, *load, count), RunControl{}); }));
  };
  EXPECT_THAT(told("arrivals: {periodic: 100 /s}"), HasSubstr("100 requests/s; up to "));
  EXPECT_THAT(told("arrivals: {periodic: 100 /s}"), HasSubstr("would overload the GPU"));
  EXPECT_THAT(told("count: 2, arrivals: {periodic: 20 /s}"), HasSubstr("2 processes; up to "));
  EXPECT_THAT(told("count: 2, arrivals: {periodic: 20 /s}"), HasSubstr("at 20 requests/s each"));
}

TEST(Overload, names_the_host_thread_the_link_and_memory_where_they_are_short) {
  const auto short_of = [](const std::string& scenario) {
    const auto shortage = shortage_in(*run(scenario_of(scenario), [] {
      RunControl control;
      control.all_must_fit = true;
      return control;
    }()));
    return shortage ? shortage->name : "";
  };
  const std::string nano = "{device: jetson-orin-nano-super, run: {duration: 2 s}, processes: [";
  EXPECT_EQ(short_of(nano + "{model: resnet18, precision: int8, stages: [{name: decode, time: 20 ms}, infer],"
                            " arrivals: {periodic: 100 /s}}]}"),
            "host_thread");
  EXPECT_EQ(short_of(nano + "{model: resnet18, precision: int8, stages: [{name: decode, time: 20 ms}, infer],"
                            " count: 12, arrivals: {periodic: 45 /s}}]}"),
            "cpu_cores");
  EXPECT_EQ(short_of(nano + "{model: resnet18, precision: int8, arrivals: {periodic: 30 /s, streams: 4}}],"
                            " link: {bandwidth: 10 Mbit/s, rtt: 5 ms, payload: 100 KB}}"),
            "link");
  EXPECT_EQ(short_of(nano + "{model: resnet18, precision: int8, count: 60, arrivals: {periodic: 1 /s}}]}"),
            "memory");
  EXPECT_EQ(short_of(nano + "{model: resnet18, precision: int8, arrivals: {periodic: 1 /s}}]}"), "");
}

TEST(Overload, is_of_no_concern_where_requests_wait_for_answers) {
  EXPECT_FALSE(
      load_of(scenario_of("{device: nvidia-h200, processes: [{model: resnet50, precision: fp16}]}")));
  EXPECT_FALSE(load_of(scenario_of(
      "{device: nvidia-h200, processes: [{model: resnet50, precision: fp16, arrivals: {clients: 4}}]}")));
}

TEST(RateFactor, makes_all_requests_come_sooner_and_leaves_cascades_and_clients_alone) {
  Scenario scenario;
  ProcessEntry& poisson = scenario.processes.emplace_back();
  poisson.arrivals.kind = process::ArrivalKind::poisson;
  poisson.arrivals.rate_per_s = 10;
  poisson.arrivals.queue_limit = 3;
  ProcessEntry& trace = scenario.processes.emplace_back();
  trace.arrivals.kind = process::ArrivalKind::trace;
  trace.arrivals.times = {sim::Time::zero() + sim::seconds(1), sim::Time::zero() + sim::seconds(3)};
  scenario.processes.emplace_back().arrivals.kind = process::ArrivalKind::clients;
  scenario.run.duration = sim::seconds(4);
  const Scenario raised = at_rate(scenario, 2);
  EXPECT_EQ(raised.processes[0].arrivals.rate_per_s, 20);
  EXPECT_FALSE(raised.processes[0].arrivals.queue_limit);
  EXPECT_EQ(raised.processes[1].arrivals.times.at(1), sim::Time::zero() + sim::seconds(1.5));
  EXPECT_EQ(raised.run.duration, sim::seconds(2));
}

TEST(NextBetter, is_the_one_that_misses_the_limits_by_least_and_says_by_how_much) {
  const Plan found = planned(
      "scenario: {device: jetson-orin-nano-super, run: {duration: 200 ms, warmup: 100 ms},\n"
      "           processes: [{model: resnet50, precision: int8}]}\n"
      "sweep: {processes.0.batch: [1, 2, 4, 8], clocks.gpu: [306 MHz, 612 MHz, 918 MHz]}\n"
      "objectives: [max system.throughput]\nconstraints: {system.power_w: {max: 9 W}}\n");
  ASSERT_TRUE(found.best);
  ASSERT_TRUE(found.next_better);
  const NextBetter& next = *found.next_better;
  EXPECT_GT(next.value, found.best->values[0]);
  EXPECT_NEAR(next.by, next.limit_value / 9 - 1, 1e-12);
  EXPECT_FALSE(found.overload);  // a closed loop
  for (const PlanPoint& point : found.every)
    if (point.values[0] > found.best->values[0] * (1 + tie)) {
      EXPECT_GE(point.values[1] / 9 - 1, next.by - 1e-12);
    }
  EXPECT_THAT(sentence_of(found.goal, next), HasSubstr("above the limit of 9 W"));
}

TEST(NextBetter, that_is_overloaded_says_of_what) {
  std::string text = rates("");
  const Plan found = planned(text.replace(text.find("stop: 230"), 9, "stop: 300"));
  ASSERT_TRUE(found.best);
  EXPECT_NEAR(best_rate(found), 200, 10);
  if (!found.next_better) return;  // the highest rate that keeps up is served as fully as those that do not
  EXPECT_EQ(found.next_better->shortage.value_or(Shortage{}).name, "gpu");
}

TEST(PlanWords, tell_what_is_asked_without_what_is_chosen) {
  const Scenario scenario = scenario_of(
      "{device: jetson-orin-nano-super, power_mode: 15W, processes: [{model: resnet18, precision: "
      "int8, count: 2, batch: 4, arrivals: {periodic: 10 /s}}]}");
  const analyses::Asked all = asked_of(scenario, "{}");
  EXPECT_EQ(all.board, "jetson-orin-nano-super, power mode 15W");
  EXPECT_EQ(all.networks, "2 x resnet18 int8 at 10 /s");
  const analyses::Asked some =
      asked_of(scenario, R"({"power_mode": "15W", "processes.*.count": 2, "processes.0.precision": "int8"})");
  EXPECT_EQ(some.board, "jetson-orin-nano-super");
  EXPECT_EQ(some.networks, "resnet18 at 10 /s");
}

TEST(PlanWords, tell_a_goal_without_paths) {
  const Criterion highest{true, std::nullopt}, lowest{false, std::nullopt}, limited{false, 200},
      load{true, 0.2};
  EXPECT_EQ(criterion_words("system.throughput", highest), "the highest throughput");
  EXPECT_EQ(criterion_words("system.power_w", lowest), "the lowest power");
  EXPECT_EQ(criterion_words("processes.latency_ms.p99", limited), "p99 latency at most 200 ms");
  EXPECT_EQ(criterion_words(headroom_metric, load), "headroom at least 20 %");
  EXPECT_EQ(criterion_words("processes.1.throughput", highest), "the highest throughput of process 1");
}

TEST(RunnerUp, is_told_in_words_and_never_as_a_difference_of_nothing) {
  Goal goal;
  goal.criteria = {{false, std::nullopt}, {false, 200}};
  goal.metrics = {"system.power_w", "processes.latency_ms.p99"};
  goal.objectives = 1;
  EXPECT_EQ(runner_up_sentence(goal, {6.011, 8.089}, {6.011, 12.71}),
            "In power the two are equal within 1 %; its p99 latency is 57 % higher: "
            "12.7 ms against 8.09 ms.");
  EXPECT_EQ(runner_up_sentence(goal, {6, 8}, {7.5, 8}), "It would be the best if its power were 20 % lower.");
  goal.criteria = {{true, std::nullopt}, {false, std::nullopt}};
  goal.metrics = {"system.throughput", "system.power_w"};
  goal.objectives = 2;
  EXPECT_EQ(runner_up_sentence(goal, {200, 8}, {199.99, 10}),
            "In throughput the two are equal within 1 %; its power is 25 % higher: 10 W "
            "against 8 W.");
  EXPECT_EQ(percent_words(0.0001), "less than 0.1 %");
  EXPECT_EQ(percent_words(0.031), "3.1 %");
}

TEST(EnergyCost, is_the_watts_of_a_day_at_their_price_with_the_grade_of_the_power) {
  const Plan found = planned(
      "scenario: {device: jetson-orin-nano-super, run: {duration: 1 s, warmup: 200 ms},\n"
      "  processes: [{model: resnet50, precision: int8, arrivals: {periodic: 30 /s, streams: 2}}]}\n"
      "sweep: {processes.0.batch: [1]}\nobjectives: [min system.power_w]\nplan: {energy_price: 0.5 "
      "USD/kWh}\n");
  ASSERT_TRUE(found.energy);
  EXPECT_NEAR(found.energy->power_w, found.best->values[0], 1e-12);
  EXPECT_NEAR(found.energy->per_day.value(), found.best->values[0] * 24 / 1000 * 0.5, 1e-12);
  // A million images at 60 /s take 4.6 hours.
  EXPECT_NEAR(found.energy->per_million.value(), found.best->values[0] * 1e6 / 60 / 3.6e6 * 0.5, 1e-3);
  EXPECT_EQ(found.energy->grade, "fitted");
  const auto json = nlohmann::json::parse(plan_json(found));
  EXPECT_EQ(json["best"]["energy"]["grade"], "fitted");
  EXPECT_EQ(json["best"]["overload"]["unit"], "cameras");
}

std::string cameras(const std::string& more) {
  return "scenario: {" + quiet + ", run: {duration: 2 s, warmup: 200 ms}, processes: [" + server + "}]}\n" +
         "fleet: {cameras: 40, rate: 15 /s, boards: [nvidia-h200], price: {nvidia-h200: 100}" + more + "}\n";
}

// 200 frames/s are 154 if each takes 30 % longer.
TEST(UsualError, makes_the_board_slower_and_not_only_its_latencies) {
  const auto off = [&](const char* rate, double error) {
    const Scenario scenario = scenario_of("{" + quiet + ", run: {duration: 2 s}, processes: [" + server +
                                          "arrivals: {periodic: " + rate + "}}]}");
    Goal goal;
    goal.criteria = {{false, std::nullopt}, {false, 20.0}, {false, 100.0}};
    goal.metrics = {"system.power_w", "processes.latency_ms.p99", "system.power_w"};
    goal.objectives = 1;
    const std::vector<double> values{90, 5, 90};
    RunControl control;
    control.every_percentile = true;
    const auto run_it = [&](const Scenario& slower) { return *run(slower, control); };
    return std::pair(goal, *if_off(goal, {scenario, values, error, 0.05, {}}, run_it));
  };
  const auto [goal, kept] = off("150 /s", 0.3);
  EXPECT_EQ(sentence_of(goal, kept), "If the model is off by its usual 30 %, all limits are still met");
  const auto overloaded = off("160 /s", 0.3).second;
  ASSERT_TRUE(overloaded.shortage);
  EXPECT_NEAR(overloaded.served.value(), 200 / 1.3 / 160, 0.01);
  EXPECT_THAT(sentence_of(goal, overloaded),
              HasSubstr("30 %, it does not keep up: the load would overload the GPU (95.8 % of it"));
}

// The detector's thread carries 116 % of its requests: with all stages 30 % longer, 89 %.
TEST(UsualError, is_of_the_stages_on_the_host_too) {
  const Plan found = planned(
      "scenario:\n  device: jetson-orin-nano-super\n  power_mode: 15W\n  jetson_clocks: true\n"
      "  processes:\n"
      "    - {name: detector, model: yolo11n, precision: int8, arrivals: {periodic: 30 /s}, stages: [\n"
      "        {publish: ros2, size: 720p}, {resize: 640}, {normalise: numpy}, infer, {nms: numpy}]}\n"
      "    - {model: mobilenet_v2, precision: int8, arrivals: {periodic: 10 /s}}\n"
      "    - {model: resnet18, precision: int8, after: detector, fan_out: {mean: 2.5}}\n"
      "sweep: {processes.0.batch: [1]}\nobjectives: [min system.power_w]\n"
      "constraints: {processes.latency_ms.p99: {max: 50 ms}}\n");
  ASSERT_TRUE(found.if_off && found.if_off->shortage);
  EXPECT_EQ(found.if_off->shortage->name, "host_thread");
  EXPECT_EQ(found.if_off->error, 0.3);
  EXPECT_NEAR(found.if_off->served.value(), static_cast<double>(found.overload->carries) / 130, 0.01);
  EXPECT_THAT(plan_json(found), HasSubstr("it does not keep up: the load would overload its host thread"));
}

// Each of two users who think for 13 ms asks again after 23 ms if an answer takes 10 in place of 5 ms.
TEST(UsualError, leaves_the_time_that_users_think_as_it_is) {
  const Scenario scenario = scenario_of("{" + quiet + ", run: {duration: 2 s}, processes: [" + server +
                                        "arrivals: {clients: 2, think: 13 ms}}]}");
  const double rate = run(on_slower_board(scenario, 2), RunControl{})->system.throughput.value();
  EXPECT_NEAR(in_scenario_time("system.throughput", rate, 2), 2 / 0.023, 2);
  EXPECT_EQ(in_scenario_time("processes.latency_ms.p99", 10, 1.3), 13);
  EXPECT_EQ(in_scenario_time("system.power_w", 10, 1.3), 10);
}

TEST(FleetMargins, with_more_headroom_never_carry_more_cameras) {
  std::int64_t before = 1000;
  for (const int percent : {0, 10, 20, 40}) {
    const Fleet found = fleet_of(cameras(", headroom: " + std::to_string(percent) + " %"));
    ASSERT_EQ(found.choices.size(), 1U);
    const FleetChoice& choice = found.choices.front();
    EXPECT_LE(choice.capacity, before);
    EXPECT_LE(static_cast<double>(choice.capacity) * 15, 200 * (1 - percent / 100.0));
    before = choice.capacity;
    EXPECT_EQ(choice.overload.carries, 13);  // headroom does not change what overloads a board
    EXPECT_EQ(choice.overload.overloads_at, 14);
  }
  EXPECT_EQ(fleet_json(fleet_of(cameras(", headroom: 0 %"))), fleet_json(fleet_of(cameras(""))));
}

// A board serves 199.4 frames/s: 24 cameras, 23 if its times are 5 % longer and 26 if they are shorter, also
// where there are two.
TEST(FleetMargins, apply_the_usual_error_to_what_a_board_carries_and_not_to_what_it_is_asked_for) {
  const std::string all = "cameras: 40";
  for (const std::string& asked : {all, std::string("cameras: 2")}) {
    std::string text = cameras("");
    text.replace(text.find(all), all.size(), asked);
    text.replace(text.find("15 /s"), 5, "8 /s");
    Asked study(text);
    const Fleet found = fleet(*study.study->fleet, study.candidates(), FleetControl{});
    ASSERT_TRUE(found.choices.at(0).if_off);
    EXPECT_EQ(found.choices[0].if_off->error, 0.05);
    EXPECT_EQ(found.choices[0].if_off->slow, 23);
    EXPECT_EQ(found.choices[0].if_off->fast, 26);
  }
}

TEST(FleetMargins, say_what_a_board_carries_and_why_no_more_and_not_with_a_board_less) {
  const Fleet found = fleet_of(cameras(", headroom: 20 %, energy_price: 0.2 USD/kWh"));
  const FleetChoice& choice = found.choices.at(0);
  EXPECT_EQ(choice.capacity, 10);  // 150 of 200 frames/s; 165 would leave 17 % free
  EXPECT_EQ(
      carries_sentence(choice),
      "10 cameras; 11 would miss a limit (with 25 % more requests it would not keep up (headroom 17.2 %, "
      "not 20 %)); 14 would overload the GPU at 15 frames/s");
  ASSERT_TRUE(choice.fewer_boards);
  EXPECT_EQ(choice.fewer_boards->boards, 3);
  EXPECT_EQ(choice.fewer_boards->cameras, 14);
  EXPECT_THAT(choice.fewer_boards->why, HasSubstr("they would overload the GPU: 94.9 %"));
  EXPECT_NEAR(choice.energy_per_hour.value(), choice.power_w / 1000 * 0.2, 1e-12);
  EXPECT_LT(*choice.energy_per_hour, *choice.cost_per_hour);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
