// Comparisons: nothing differs from itself, noise is not taken for a difference, a difference is.
#include "analyses/compare/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "analyses/compare/cause.hpp"
#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

const std::string base =
    "device: nvidia-h200\nhost_cores: 3\nprocesses:\n"
    "  - {model: resnet50, precision: fp16, runtime: eager, count: 2}\n"
    "  - {name: front, model: mobilenet_v2, precision: fp16, runtime: cuda-graph, arrivals: {poisson: 50 "
    "/s}}\n"
    "run: {duration: 500 ms, warmup: 100 ms, seed: 3}\n";

Scenario changed(const std::vector<std::string>& set) {
  return scenario_of(base, nullptr, {set, std::nullopt});
}

const Difference& figure(const std::vector<Difference>& all, const std::string& name) {
  return *std::ranges::find(all, name, &Difference::metric);
}

TEST(Compare, a_scenario_differs_from_itself_by_exactly_nothing) {
  const Compared compared = compare(changed({}), changed({}), {.most = 3}, {});
  ASSERT_EQ(compared.processes.size(), 3U);
  const auto nothing = [](const std::vector<Difference>& all) {
    EXPECT_FALSE(all.empty());
    for (const Difference& each : all) {
      EXPECT_EQ(each.difference, 0.0) << each.metric;
      EXPECT_EQ(each.half_width, 0.0) << each.metric;
      EXPECT_FALSE(each.significant()) << each.metric;
    }
  };
  nothing(compared.system);
  for (const ComparedProcess& process : compared.processes) nothing(process.metrics);
}

// The same scenario under other seeds.
TEST(Compare, noise_alone_is_no_difference) {
  const Scenario scenario = changed({});
  std::vector<Result> first, second;
  for (std::uint64_t i = 0; i < 8; ++i) {
    first.push_back(run_text(base, {{}, 100 + i}));
    second.push_back(run_text(base, {{}, 200 + i}));
  }
  const Compared compared_ = compared(scenario, scenario, first, second);
  const Difference& throughput = figure(compared_.processes[2].metrics, "throughput");
  EXPECT_NE(throughput.difference, 0.0);
  EXPECT_GT(throughput.half_width, 0.0);
  EXPECT_FALSE(throughput.significant());
  EXPECT_FALSE(figure(compared_.system, "throughput").significant());
}

TEST(Compare, a_large_change_is_one) {
  const Compared compared = compare(changed({}), changed({"processes.0.batch=8"}), {.most = 4}, {});
  const Difference& throughput = figure(compared.processes[0].metrics, "throughput");
  EXPECT_TRUE(throughput.significant());
  EXPECT_GT(*throughput.relative(), 1.0);
  EXPECT_GT(*throughput.difference - *throughput.half_width, 0.0);
  EXPECT_EQ(compared.processes[0].label, "resnet50 fp16 b1 -> resnet50 fp16 b8");
}

const std::string two_on_a_board =
    "device: jetson-orin-nano-super\njetson_clocks: true\n"
    "processes: [{model: resnet50, precision: fp16, count: 2}]\nrun: {duration: 500 ms, warmup: 100 ms}\n";

std::vector<std::string> causes(const std::string& a, const std::string& b) {
  return causes_of(compare(scenario_of(a), scenario_of(b), {.most = 1}, {}));
}

TEST(CauseOfADifference, is_nothing_between_a_scenario_and_itself) {
  const auto told = causes(two_on_a_board, two_on_a_board);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], ::testing::MatchesRegex("resnet50 fp16 b1 takes [0-9.]+ ms an image in both"));
}

TEST(CauseOfADifference, is_the_clock_where_only_that_changes) {
  std::string slow = two_on_a_board;
  slow.replace(slow.find("jetson_clocks: true"), 19, "clocks: {gpu: 510 MHz}");
  const auto told = causes(two_on_a_board, slow);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], ::testing::StartsWith("B is slower because resnet50 fp16 b1 takes "));
  EXPECT_THAT(told[0], ::testing::HasSubstr("more executing on the GPU"));
  EXPECT_THAT(told[1], ::testing::HasSubstr("the GPU clock is 510 MHz in place of"));
}

TEST(CauseOfADifference, is_the_wait_for_others_where_only_their_number_changes) {
  std::string alone = two_on_a_board;
  alone.replace(alone.find(", count: 2"), 10, "");
  const auto told = causes(two_on_a_board, alone);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], ::testing::HasSubstr("ms less waiting for another process's slice"));
  EXPECT_THAT(told[1], ::testing::HasSubstr("1 process works on the board in place of 2"));
}

TEST(CauseOfADifference, is_that_nobody_takes_turns_under_mps_and_its_parts_add_up) {
  const std::string turns =
      "device: nvidia-h200\nprocesses: [{model: resnet50, precision: fp16, batch: 1, runtime: cuda-graph, "
      "count: 2}]\n"
      "run: {duration: 300 ms, warmup: 100 ms}\n";
  const auto told = causes(turns, "sharing: mps\n" + turns);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0],
              ::testing::StartsWith("in A processes take turns on the GPU, in B their kernels run at once"));
  EXPECT_THAT(told[1], ::testing::HasSubstr("less waiting for another process's slice"));
  EXPECT_THAT(told[1], ::testing::ContainsRegex("but [0-9.]+ ms more "));
}

const std::string robot =
    "device: jetson-orin-nano-super\npower_mode: 15W\njetson_clocks: true\nprocesses:\n"
    "  - {name: detector, model: yolo11n, precision: int8, arrivals: {periodic: 30 /s},\n"
    "     stages: [{resize: 640}, {normalise: numpy}, infer, {nms: numpy}]}\n"
    "  - {name: follower, model: resnet18, precision: int8, after: detector}\n"
    "run: {duration: 2 s, warmup: 200 ms}\n";

// 25W has the faster GPU and the slower cores.
TEST(CauseOfADifference, of_latency_is_in_the_process_that_is_later_and_in_the_clock_that_fell) {
  const Compared compared = compare(
      scenario_of(robot), scenario_of(robot, nullptr, {{"power_mode=25W"}, std::nullopt}), {.most = 4}, {});
  EXPECT_LT(std::abs(*figure(compared.system, "throughput").relative()), no_cause_within);
  EXPECT_GT(*figure(compared.processes[0].metrics, "latency mean").relative(), no_cause_within);
  const auto told = causes_of(compared);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], ::testing::MatchesRegex(
                           "B is later with the answers of detector because an image takes "
                           "[0-9.]+ ms in place of [0-9.]+: [0-9.]+ ms more computing on the cores.*"));
  EXPECT_THAT(told[1],
              ::testing::MatchesRegex("the CPU clock is 1344 MHz in place of 1498; the GPU clock is .*"));
}

TEST(CauseOfADifference, of_noise_is_not_told) {
  const Scenario scenario = changed({});
  std::vector<Result> first, second;
  for (std::uint64_t i = 0; i < 6; ++i) {
    first.push_back(run_text(base, {{}, 100 + i}));
    second.push_back(run_text(base, {{}, 200 + i}));
  }
  for (const std::string& one : causes_of(compared(scenario, scenario, first, second)))
    EXPECT_THAT(one, ::testing::Not(::testing::StartsWith("B is "))) << one;
}

TEST(CauseOfADifference, of_power_is_the_part_that_changed_and_of_energy_time_and_power) {
  std::string slow = two_on_a_board;
  slow.replace(slow.find("jetson_clocks: true"), 19, "clocks: {gpu: 408 MHz}");
  const Compared compared = compare(scenario_of(two_on_a_board), scenario_of(slow), {.most = 1}, {});
  const auto power = causes_for("system.power_w", compared, {"A", "it"});
  ASSERT_EQ(power.size(), 1U);
  EXPECT_THAT(power[0], ::testing::MatchesRegex("[0-9.]+ W less of the GPU.*"));
  const auto energy = causes_for("system.energy_per_image_mj", compared, {"A", "it"});
  ASSERT_EQ(energy.size(), 2U);
  EXPECT_THAT(energy[0],
              ::testing::MatchesRegex("an image costs [0-9.]+ mJ in place of [0-9.]+, as it takes "
                                      "[0-9.]+ (% more time|times as long) but only needs [0-9.]+ % of the "
                                      "power"));
  EXPECT_THAT(energy[1], ::testing::StartsWith("it is slower because resnet50 fp16 b1 takes "));
  EXPECT_EQ(causes_for("system.throughput", compared, {}), causes_of(compared));
}

TEST(Compare, pairs_share_their_seeds_so_that_intervals_are_narrower_than_of_runs_apart) {
  const std::vector<std::string> set{"processes.0.batch=8"};
  const Compared paired = compare(changed({}), changed(set), {.most = 8}, {});
  std::vector<Result> elsewhere;
  for (std::uint64_t i = 0; i < 8; ++i) elsewhere.push_back(run_text(base, {set, 700 + i}));
  const Compared apart = compared(changed({}), changed(set), paired.a, elsewhere);
  for (std::size_t i = 0; i < paired.a.size(); ++i) EXPECT_EQ(paired.a[i].seed, paired.b[i].seed);
  EXPECT_LT(*figure(paired.processes[2].metrics, "throughput").half_width,
            *figure(apart.processes[2].metrics, "throughput").half_width);
}

TEST(Compare, pairs_are_run_until_the_differences_are_known_as_well_as_asked) {
  const std::vector<std::string> set{"processes.0.batch=8"};
  const Compared rough = compare(changed({}), changed(set), {.most = 60, .until = 0.2}, {});
  const Compared fine = compare(changed({}), changed(set), {.most = 60, .until = 0.02}, {});
  EXPECT_TRUE(rough.known_to(0.2));
  EXPECT_TRUE(fine.known_to(0.02));
  EXPECT_GE(rough.a.size(), Pairs::least);
  EXPECT_LE(rough.a.size(), fine.a.size());
  EXPECT_LE(*figure(fine.processes[2].metrics, "throughput").half_width,
            0.02 * *figure(fine.processes[2].metrics, "throughput").a);
  // The runs are those that as many pairs always were.
  const Compared same = compare(changed({}), changed(set), {.most = fine.a.size()}, {});
  EXPECT_EQ(figure(same.system, "throughput").difference, figure(fine.system, "throughput").difference);
}

TEST(Compare, what_cannot_be_known_so_well_ends_at_the_most_pairs_and_says_so) {
  const Compared compared =
      compare(changed({}), changed({"processes.0.batch=8"}), {.most = 8, .until = 1e-9}, {});
  EXPECT_EQ(compared.a.size(), 8U);
  EXPECT_FALSE(compared.known_to(1e-9));
}

TEST(Compare, of_a_process_that_is_overloaded_says_on_which_side_and_by_how_much) {
  const std::string queue =
      "device: nvidia-h200\nfigures: {gpu.idle_wake.cost: 0 us}\nprocesses:\n"
      "  - {model: {kernels: 1, duration: 5 ms, blocks: 132, threads: 256}, runtime: cuda-graph, sync: "
      "spin,\n"
      "     arrivals: {poisson: 100 /s}}\nrun: {duration: 1 s}\n";
  const auto at = [&](const char* rate) {
    return scenario_of(queue, nullptr, {{std::string("processes.0.arrivals.poisson=") + rate}, std::nullopt});
  };
  const ComparedProcess over = compare(at("100 /s"), at("250 /s"), {.most = 3}, {}).processes.at(0);
  EXPECT_EQ(over.overload_a.runs, 0U);
  EXPECT_EQ(over.overload_b.runs, 3U);
  EXPECT_NEAR(over.overload_b.stable_share.value_or(0), 200.0 / 250, 0.01);
  EXPECT_EQ(over.with_latency, 0U);
  EXPECT_EQ(std::ranges::count(over.metrics, "latency mean", &Difference::metric), 0);
  const ComparedProcess both = compare(at("100 /s"), at("120 /s"), {.most = 3}, {}).processes.at(0);
  EXPECT_EQ(both.with_latency, 3U);
  EXPECT_EQ(std::ranges::count(both.metrics, "latency mean", &Difference::metric), 1);
}

TEST(Compare, one_pair_has_no_interval) {
  const Compared compared = compare(changed({}), changed({"processes.0.batch=8"}), {.most = 1}, {});
  EXPECT_FALSE(figure(compared.system, "throughput").half_width.has_value());
  EXPECT_FALSE(figure(compared.system, "throughput").significant());
}

// "0 0.1": process 0 of A with stream 1 of process 0 of B; "- 2": only in B.
using Places = std::vector<std::string>;
Places places(const Pairing& pairing) {
  Places all;
  for (const auto& [a, b] : pairing.both) all.push_back(a.place() + " " + b.place());
  for (const Unit& unit : pairing.only_a) all.push_back(unit.place() + " -");
  for (const Unit& unit : pairing.only_b) all.push_back("- " + unit.place());
  return all;
}

TEST(Compare, processes_are_matched_entry_by_entry_and_the_rest_is_listed) {
  const Scenario more = changed({"processes.0.count=3", "processes.2={model: alexnet, precision: fp16}"});
  const Pairing pairs = pairing(changed({}), more);
  EXPECT_EQ(places(pairs), (Places{"0 0", "1 1", "2 3", "- 2", "- 4"}));
  EXPECT_EQ(places(pairing(more, changed({}))), (Places{"0 0", "1 1", "3 2", "2 -", "4 -"}));
}

const std::string in_processes =
    "device: nvidia-h200\nprocesses:\n"
    "  - {name: detector, model: yolov8n, precision: fp16, runtime: cuda-graph}\n"
    "  - {name: depth, model: resnet18, precision: fp16, runtime: cuda-graph}\n"
    "  - {name: front, model: mobilenet_v2, precision: fp16, runtime: cuda-graph}\n"
    "run: {duration: 200 ms, warmup: 100 ms}\n";
const std::string in_one =
    "device: nvidia-h200\nprocesses:\n"
    "  - {runtime: cuda-graph, instances: [{name: front, model: mobilenet_v2, precision: fp16},\n"
    "     {name: detector, model: yolov8n, precision: fp16}, {name: depth, model: resnet18, precision: "
    "fp16}]}\n"
    "run: {duration: 200 ms, warmup: 100 ms}\n";

TEST(Compare, a_process_is_matched_with_the_instance_of_its_name) {
  const Scenario a = scenario_of(in_processes), b = scenario_of(in_one);
  EXPECT_EQ(places(pairing(a, b)), (Places{"0 0.1", "1 0.2", "2 0.0"}));
  const Compared compared = compare(a, b, {.most = 1}, {});
  for (const ComparedProcess& each : compared.processes) {
    EXPECT_EQ(each.label, each.a.label);
    EXPECT_EQ(figure(each.metrics, "throughput").b,
              compared.b.front().processes[0].instances[*each.b.stream].throughput.mean);
    EXPECT_EQ(figure(each.metrics, "latency mean").b,
              compared.b.front().processes[0].instances[*each.b.stream].latency_ms.mean);
  }
  const auto why = causes_of(compared);
  ASSERT_EQ(why.size(), 1U);
  EXPECT_THAT(why[0], ::testing::HasSubstr("1 process works on the board in place of 3"));
}

const std::string three =
    "device: jetson-agx-orin-64gb\npower_mode: 30W\njetson_clocks: true\n"
    "processes: [{name: a, model: resnet50, precision: int8, count: 3}]\nrun: {duration: 500 ms, warmup: 100 "
    "ms}\n";

TEST(Compare, three_processes_stand_against_three_streams_of_one_with_what_a_crash_takes) {
  std::string streams = three;
  streams.replace(streams.find("count"), 5, "streams");
  const Compared all = compare(scenario_of(three), scenario_of(streams), {.most = 2}, {});
  ASSERT_EQ(all.groups.size(), 1U);
  const ComparedProcess& group = all.groups[0];
  EXPECT_EQ(std::pair(group.of_a, group.of_b), std::pair(std::size_t{3}, std::size_t{1}));
  EXPECT_NEAR(*figure(group.metrics, "throughput").a, *figure(all.system, "throughput").a, 1e-9);
  EXPECT_NEAR(*figure(group.metrics, "throughput").b, *figure(all.system, "throughput").b, 1e-9);
  double worst = 0;
  for (const ProcessResult& process : all.a.front().processes)
    worst = std::max(worst, *process.latency_ms.mean);
  EXPECT_GE(2 * *figure(group.metrics, "latency mean").a, worst);
  EXPECT_EQ(all.isolation_a, "a crash takes 1 of 3");
  EXPECT_EQ(all.isolation_b, "a crash takes all of 3");
  EXPECT_THAT(causes_of(all), ::testing::Not(::testing::Contains(::testing::HasSubstr("ms an image"))))
      << "the time of one process of three is no time of one with three streams";
}

TEST(Compare, equal_processes_are_one_group_whose_rates_add_up) {
  const Compared all = compare(
      scenario_of(three), scenario_of(three, nullptr, {{"power_mode=50W"}, std::nullopt}), {.most = 2}, {});
  EXPECT_EQ(all.processes.size(), 3U);
  ASSERT_EQ(all.groups.size(), 1U);
  EXPECT_EQ(all.groups[0].of_b, 3U);
  EXPECT_NEAR(*figure(all.groups[0].metrics, "throughput").b, *figure(all.system, "throughput").b, 1e-9);
}

TEST(Compare, instances_without_names_are_matched_by_their_networks) {
  std::string unnamed = in_one;
  for (const char* const name : {"name: front, ", "name: detector, ", "name: depth, "})
    unnamed.erase(unnamed.find(name), std::string(name).size());
  std::string plain = in_processes;
  for (const char* const name : {"name: front, ", "name: detector, ", "name: depth, "})
    plain.erase(plain.find(name), std::string(name).size());
  EXPECT_EQ(places(pairing(scenario_of(plain), scenario_of(unnamed))), (Places{"0 0.1", "1 0.2", "2 0.0"}));
  // Nothing of the one is in the other: no process is taken for another.
  EXPECT_EQ(places(pairing(scenario_of(in_processes), scenario_of(unnamed))),
            (Places{"0 -", "1 -", "2 -", "- 0"}));
}

TEST(Compare, names_go_before_places_and_a_process_with_instances_is_itself_on_both_sides) {
  Scenario turned = scenario_of(in_processes);
  std::swap(turned.processes[0], turned.processes[2]);
  EXPECT_EQ(places(pairing(scenario_of(in_processes), turned)), (Places{"0 2", "1 1", "2 0"}));
  EXPECT_EQ(places(pairing(scenario_of(in_one), scenario_of(in_one))), (Places{"0 0"}));
}

TEST(Compare, an_interrupt_leaves_no_half_an_answer) {
  const std::atomic<bool> interrupted = true;
  EXPECT_THROW((void)compare(changed({}), changed({}), {.most = 2},
                             {.interrupt = &interrupted, .trace = nullptr, .progress = {}}),
               Interrupted);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
