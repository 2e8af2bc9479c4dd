// Explanations: shares that add up, changes that are runs like any other, and what is named as short.
#include "analyses/explain/explain.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cctype>
#include <cmath>
#include <numeric>
#include <sstream>
#include <tuple>

#include "analyses/explain/shares.hpp"
#include "models/board/spec.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Explanation explained(const std::string& text, const std::vector<std::string>& set = {},
                      const std::vector<std::string>& what_ifs = {}) {
  const Scenario scenario = scenario_of(text, nullptr, {set, std::nullopt});
  return explain({.scenario = scenario, .directory = "", .what_ifs = what_ifs}, {});
}

const Tried& tried(const Explanation& explanation, const std::string& name) {
  for (const Tried& each : explanation.tried)
    if (each.what_if.name == name) return each;
  throw std::runtime_error("not tried: " + name);
}

std::vector<std::string> names_of(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const Tried& each : explanation.tried) names.push_back(each.what_if.name);
  return names;
}

const std::string gate =
    "device: jetson-orin-nano\npower_mode: 7W\nhost_cores: 3\nobserver: nsys\n"
    "power_cap: {budget: 5 W, window: 100 ms}\n"
    "processes:\n"
    "  - {model: resnet50, precision: fp16, batch: 4, count: 3}\n"
    "  - {name: front, model: mobilenet_v2, precision: fp16, arrivals: {poisson: 20 /s}}\n"
    "run: {duration: 4 s, warmup: 200 ms, seed: 5}\n";
const std::string alone =
    "device: jetson-orin-nano\nprocesses:\n  - {model: resnet50, precision: fp16, batch: 8}\n"
    "run: {duration: 1 s, warmup: 200 ms}\n";

RC_GTEST_PROP(Shares, sum_to_a_hundred_percent_as_printed_and_are_the_nearest, ()) {
  TimeShare shares{};
  for (double& share : shares) share = *rc::gen::inRange(0, 1'000'000);
  shares[*rc::gen::inRange<std::size_t>(0, shares.size())] += 1;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const Permille tenths = rounded(shares);
  RC_ASSERT(std::accumulate(tenths.begin(), tenths.end(), 0) == 1000);
  for (std::size_t i = 0; i < shares.size(); ++i)
    RC_ASSERT(std::abs(tenths[i] - 1000 * shares[i] / sum) < 1.0 + 1e-9);
}

TEST(Explain, shares_of_every_group_sum_to_a_hundred_percent) {
  const Explanation explanation = explained(gate, {}, {"one-core-more"});
  ASSERT_EQ(explanation.groups.size(), 2U);
  for (const Explained& group : explanation.groups)
    EXPECT_EQ(std::accumulate(group.share->begin(), group.share->end(), 0), 1000);
}

TEST(Explain, equal_processes_are_one_group) {
  const Explanation explanation = explained(gate, {}, {"one-core-more"});
  EXPECT_EQ(explanation.groups[0].group.label, "3 x resnet50 fp16 b4 tensorrt");
  EXPECT_EQ(explanation.groups[0].group.processes, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(explanation.groups[1].group.label, "front: mobilenet_v2 fp16 b1 tensorrt");
}

TEST(Explain, every_change_is_a_scenario_that_gives_the_same_when_run_by_itself) {
  const Explanation explanation = explained(gate);
  EXPECT_THAT(
      names_of(explanation),
      ::testing::UnorderedElementsAreArray(std::vector<std::string>{
          "one-core-more",    "all-cores",         "double-host-speed", "no-switch-cost", "double-arithmetic",
          "double-bandwidth", "no-limits",         "no-profiler",       "sync-spin",      "pinned-clocks",
          "next-power-mode",  "precision-int8",    "on-cores",          "on-cores",       "batch-doubled",
          "batch-of-waiting", "one-process-fewer", "another-board",     "another-board",  "second-board",
          "as-streams"}));  // no MPS: the board has none
  for (const Tried& each : explanation.tried) {
    double total = 0;
    for (const Result& result : each.results) {
      EXPECT_NE(result.scenario_hash, explanation.result.scenario_hash) << each.what_if.name;
      const Result alone_again = run_text(result.resolved);
      EXPECT_EQ(to_json(alone_again), to_json(result)) << each.what_if.name;
      total += alone_again.system.throughput.value();
    }
    EXPECT_DOUBLE_EQ(each.throughput.after.value(), total) << each.what_if.name;
    EXPECT_EQ(each.throughput.before, explanation.result.system.throughput) << each.what_if.name;
  }
}

TEST(Explain, changes_are_those_that_a_user_would_make) {
  const Explanation explanation = explained(gate);
  const auto by_hand = [](const std::vector<std::string>& set) {
    return run_text(gate, {set, std::nullopt}).system.throughput.value();
  };
  const auto after = [&](const char* name) { return tried(explanation, name).throughput.after.value(); };
  EXPECT_EQ(after("one-core-more"), by_hand({"host_cores=4"}));
  EXPECT_EQ(after("batch-doubled"), by_hand({"processes.0.batch=8"}));
  EXPECT_EQ(after("one-process-fewer"), by_hand({"processes.0.count=2"}));
  EXPECT_EQ(after("next-power-mode"), by_hand({"power_mode=15W"}));
  EXPECT_EQ(after("no-profiler"), by_hand({"observer=none"}));
  EXPECT_EQ(after("pinned-clocks"), by_hand({"jetson_clocks=true"}));
  EXPECT_EQ(after("no-switch-cost"), by_hand({"figures.gpu.time_slicing.switch_when_idle=0 us",
                                              "figures.gpu.time_slicing.switch_at_expiry=0 us",
                                              "figures.gpu.time_slicing.restart_after_expiry=0 us",
                                              "figures.gpu.time_slicing.refill_after_expiry=0 us"}));
  EXPECT_EQ(after("double-bandwidth"), by_hand({"figures.gpu.what_if.memory=2"}));
}

TEST(Explain, says_that_cores_twice_as_fast_compute_networks_on_them_nearly_twice_as_fast) {
  const auto gain = [](const std::string& process) {
    const Explanation explanation = explained("device: raspberry-pi-5\nprocesses:\n  - {" + process +
                                                  ", placement: cpu, threads: 2}\n"
                                                  "run: {duration: 5 s, warmup: 200 ms}\n",
                                              {}, {"double-host-speed"});
    return 1 + tried(explanation, "double-host-speed").throughput.relative().value();
  };
  EXPECT_NEAR(gain("model: resnet50, precision: fp32, runtime: tflite"), 1.95, 0.06);
  EXPECT_NEAR(gain("model: qwen2.5_0.5b, precision: q4_0, runtime: llama.cpp, bench: {pp: 128}"), 1.95, 0.06);
  EXPECT_LT(gain("model: qwen2.5_0.5b, precision: q4_0, runtime: llama.cpp, bench: {tg: 16}"), 1.3)
      << "bound by memory";
}

TEST(Explain, names_the_memory_of_a_board_without_a_gpu_where_a_language_model_decodes) {
  const Explanation explanation = explained(
      "device: raspberry-pi-5\nprocesses:\n  - {model: llama3.2_3b, precision: q4_k_m, runtime: llama.cpp, "
      "placement: cpu, threads: 4, bench: {tg: 16}}\nrun: {duration: 20 s, warmup: 200 ms}\n");
  EXPECT_GT(tried(explanation, "double-bandwidth").throughput.relative().value(), 0.4);
  ASSERT_TRUE(explanation.critical.has_value());
  EXPECT_EQ(explanation.critical->resource, Resource::memory_bandwidth);
}

TEST(Explain, a_second_board_takes_every_other_process) {
  const Tried board = tried(explained(gate, {}, {"second-board"}), "second-board");
  ASSERT_EQ(board.what_if.boards.size(), 2U);
  EXPECT_EQ(board.what_if.boards[0].parts, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(board.what_if.boards[1].parts, (std::vector<std::size_t>{1, 3}));
  for (const ProcessChange& change : board.processes) EXPECT_TRUE(change.throughput.after.has_value());
}

TEST(Explain, a_scenario_without_contention_names_no_waiting_for_slices) {
  const Explanation explanation = explained(alone);
  EXPECT_EQ((*explanation.groups[0].share)[2], 0);
  EXPECT_THAT(explanation.groups[0].sentence, Not(HasSubstr("slice")));
  EXPECT_THAT(names_of(explanation), Not(Contains("no-switch-cost")));
  EXPECT_THAT(names_of(explanation), Not(Contains("second-board")));
}

TEST(Explain, contention_is_named_with_what_would_relieve_it) {
  const Explanation explanation = explained(alone, {"processes.0.count=2"});
  EXPECT_THAT(explanation.groups[0].sentence, HasSubstr("waiting for another process's slice"));
  EXPECT_THAT(explanation.groups[0].sentence,
              ::testing::ContainsRegex("a second board \\(images/s \\+[0-9.]+ %\\) .*would remove it"));
}

struct Short {
  const char* what;
  std::vector<std::string> set;
  Resource resource;
};
class CriticalResource : public ::testing::TestWithParam<Short> {};

TEST_P(CriticalResource, is_the_one_that_was_made_short) {
  const Explanation explanation = explained(alone, GetParam().set);
  ASSERT_TRUE(explanation.critical.has_value());
  EXPECT_EQ(to_string(explanation.critical->resource), to_string(GetParam().resource));
  EXPECT_THAT(explanation.critical->sentence, HasSubstr(std::string(in_words(GetParam().resource))));
}
INSTANTIATE_TEST_SUITE_P(
    Explain, CriticalResource,
    ::testing::Values(Short{"gpu", {}, Resource::gpu},
                      Short{"cores",
                            {"processes.0.count=4", "processes.0.runtime=eager", "processes.0.batch=1",
                             "host_cores=1", "run.duration=10 s"},
                            Resource::cpu_cores},
                      Short{
                          "host", {"processes.0.runtime=eager", "processes.0.batch=1"}, Resource::host_speed},
                      Short{"cap", {"power_cap={budget: 5 W}"}, Resource::power_limits},
                      Short{"memory", {"clocks.emc=204 MHz"}, Resource::memory_bandwidth}),
    [](const auto& shown) { return std::string(shown.param.what); });

TEST(Explain, without_gains_the_largest_share_is_named) {
  const Explanation explanation = explained(alone, {}, {"one-core-more"});
  const auto critical = critical_resource(explanation.result, explanation.tried);
  EXPECT_FALSE(critical->what_if.has_value());
  EXPECT_EQ(critical->resource, Resource::gpu);
}

TEST(Explain, no_resource_is_named_where_only_some_changes_were_tried) {
  EXPECT_FALSE(explained(alone, {}, {"double-bandwidth"}).critical.has_value());
}

// Six cameras on a board whose governors lower the clocks.
const std::string cameras =
    "device: jetson-orin-nano-super\npower_mode: 25W\nprocesses:\n"
    "  - {name: camera, model: yolov8n, precision: int8, count: 6, arrivals: {periodic: 15 /s}}\n"
    "run: {duration: 4 s}\n";

const ClockChange& clock_of(const Tried& tried, const std::string& domain) {
  for (const ClockChange& clock : tried.clocks)
    if (clock.domain == domain) return clock;
  throw std::runtime_error("no clock of " + domain);
}

TEST(Explain, the_clocks_before_and_after_a_change_are_those_of_the_two_runs) {
  const Tried faster = tried(explained(cameras, {}, {"double-arithmetic"}), "double-arithmetic");
  const SystemResult before = run_text(cameras).system;
  const SystemResult after = run_text(faster.results[0].resolved).system;
  EXPECT_EQ(clock_of(faster, "gpu").mhz.before, before.gpu.clock_mhz);
  EXPECT_EQ(clock_of(faster, "gpu").mhz.after, after.gpu.clock_mhz);
  EXPECT_EQ(clock_of(faster, "emc").mhz.after, after.memory.clock_mhz);
  EXPECT_EQ(clock_of(faster, "cpu0").mhz.after, after.cpu.clock_mhz.at(0));
  EXPECT_TRUE(clock_of(faster, "gpu").by_governor);
  EXPECT_THAT(faster.sentence, HasSubstr(fmt::format("lowered the GPU clock from {:.0f} to {:.0f} MHz",
                                                     *before.gpu.clock_mhz, *after.gpu.clock_mhz)));
}

TEST(Explain, a_faster_part_that_saves_no_tail_is_explained_by_the_clock_that_fell) {
  const Tried faster = tried(
      explained(cameras,
                {"run.duration=60 s", "power_mode=MAXN_SUPER", "processes.0.arrivals={periodic: 18 /s}"},
                {"double-arithmetic"}),
      "double-arithmetic");
  ASSERT_GT(faster.p99_ms.relative().value(), -0.05);
  EXPECT_THAT(faster.sentence, HasSubstr("lowered the GPU clock"));
  const Tried locked =
      tried(explained(cameras, {"jetson_clocks=true"}, {"double-arithmetic"}), "double-arithmetic");
  EXPECT_LE(locked.latency_ms.relative().value(), 0);
  EXPECT_EQ(locked.sentence, "");
}

TEST(Explain, clocks_that_a_power_mode_or_a_lock_moves_are_not_the_governors_doing) {
  const Explanation explanation = explained(cameras, {}, {"pinned-clocks", "next-power-mode"});
  for (const Tried& each : explanation.tried) {
    for (const ClockChange& clock : each.clocks) EXPECT_FALSE(clock.by_governor) << each.what_if.name;
    EXPECT_THAT(each.sentence, Not(HasSubstr("governor"))) << each.what_if.name;
  }
  EXPECT_THAT(tried(explanation, "pinned-clocks").sentence, HasSubstr("it moves the"));
}

TEST(Explain, clocks_that_a_power_cap_may_have_moved_are_not_the_governors_doing) {
  const auto faster = [](const std::vector<std::string>& set) {
    return tried(explained(alone, set, {"double-arithmetic"}), "double-arithmetic");
  };
  EXPECT_TRUE(clock_of(faster({}), "cpu0").by_governor);
  const Tried capped = faster({"power_cap={budget: 8 W}"});
  EXPECT_FALSE(clock_of(capped, "cpu0").by_governor);
  EXPECT_THAT(capped.sentence, ::testing::AllOf(HasSubstr("it moves the"), HasSubstr("the CPU clock from")));
}

TEST(Explain, changes_come_in_the_order_of_what_they_bring_and_last_those_that_nobody_can_make) {
  const Explanation explanation = explained(cameras);
  for (std::size_t i = 0; i < explanation.leading.size(); ++i) EXPECT_EQ(explanation.leading[i], i);
  const auto order = [](const Tried& one) {
    return std::tuple(one.what_if.role != Role::advice, !one.is_stable(),
                      one.objective.relative().value_or(1e9));
  };
  for (std::size_t i = explanation.leading.size(); i + 1 < explanation.tried.size(); ++i)
    EXPECT_LE(order(explanation.tried[i]), order(explanation.tried[i + 1]))
        << explanation.tried[i].what_if.label;
  EXPECT_EQ(explanation.tried.back().what_if.role != Role::advice, true);
}

TEST(Explain, a_process_that_is_left_out_does_not_count_for_the_mean_latency) {
  // The fast one goes: the mean over those that stay hardly moves, although that over all doubles.
  const Tried fewer = tried(
      explained(
          "device: jetson-orin-nano\njetson_clocks: true\nprocesses:\n"
          "  - {name: slow, model: yolov8n, precision: fp16, arrivals: {periodic: 5 /s}, stages: [{name: "
          "prepare, time: 40 ms}, infer]}\n"
          "  - {model: mobilenet_v2, precision: fp16, arrivals: {periodic: 5 /s}}\n"
          "run: {duration: 2 s, warmup: 200 ms}\n",
          {}, {"one-process-fewer"}),
      "one-process-fewer");
  ASSERT_TRUE(fewer.latency_ms.relative());
  EXPECT_LT(std::abs(*fewer.latency_ms.relative()), 0.2);
}

TEST(Explain, locked_clocks_are_critical_where_the_governors_cost_most) {
  const Explanation explanation = explained(cameras);
  ASSERT_TRUE(explanation.critical && explanation.critical->what_if);
  EXPECT_EQ(explanation.critical->resource, Resource::clock_governors);
  EXPECT_GT(explanation.critical->gain, 0.3);
  EXPECT_THAT(explanation.critical->sentence, HasSubstr("brings most: jetson_clocks (mean latency -"));
  EXPECT_THAT(explanation.critical->sentence, HasSubstr("the GPU clock from"));
}

TEST(Explain, locked_clocks_are_tried_only_where_a_governor_sets_a_clock) {
  EXPECT_THAT(names_of(explained(alone)), Contains("pinned-clocks"));
  EXPECT_THAT(names_of(explained(alone, {"clocks.cpu=1.5 GHz"})), Contains("pinned-clocks"));
  for (const std::vector<std::string>& set : std::vector<std::vector<std::string>>{
           {"jetson_clocks=true"},
           {"clocks.cpu=1.5 GHz", "clocks.gpu=612 MHz", "clocks.emc=2133 MHz"},
           {"device=nvidia-h200"}})
    EXPECT_THAT(names_of(explained(alone, set)), Not(Contains("pinned-clocks"))) << set[0];
}

TEST(Explain, no_resource_is_named_while_another_brings_more) {
  for (const std::string& text : {cameras, alone, gate})
    for (const std::string mode : {"power_mode=7W", "power_mode=15W"}) {
      const Explanation explanation = explained(text, {mode});
      ASSERT_TRUE(explanation.critical.has_value());
      const Critical& critical = *explanation.critical;
      for (const Tried& each : explanation.tried) {
        if (!each.what_if.resource) continue;
        if (critical.rescues && each.is_stable()) {
          EXPECT_LE(explanation.tried[*critical.what_if].latency_ms.after, each.latency_ms.after);
        } else if (!critical.rescues) {
          EXPECT_LE(each.gain, std::max(critical.gain, 0.05)) << mode << each.what_if.name;
        }
      }
    }
}

TEST(Explain, overload_is_told_with_the_changes_under_which_all_keep_up) {
  const Explanation explanation =
      explained(cameras, {"power_mode=7W", "processes.0.arrivals={periodic: 20 /s}"});
  ASSERT_TRUE(explanation.overload.has_value());
  const Overload& overload = *explanation.overload;
  EXPECT_EQ(overload.processes, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_NEAR(overload.offered, 120, 1e-9);
  EXPECT_LT(overload.served, 119);
  ASSERT_FALSE(overload.stable_with.empty());
  ASSERT_LT(overload.stable_with.size(), explanation.tried.size());
  for (std::size_t i = 0; i < explanation.tried.size(); ++i) {
    const Tried& each = explanation.tried[i];
    bool stable = true;
    for (const Result& result : each.results)
      for (const ProcessResult& process : result.processes) stable = stable && process.stable == true;
    EXPECT_EQ(std::ranges::count(overload.stable_with, i), stable ? 1 : 0) << each.what_if.name;
    EXPECT_EQ(each.latency_ms.after.has_value(), stable) << each.what_if.name;
    EXPECT_FALSE(each.latency_ms.before || each.p99_ms.before) << each.what_if.name;
    if (each.what_if.role == Role::advice) {
      EXPECT_THAT(overload.sentence, HasSubstr(stable ? each.named() : each.what_if.label));
    }
  }
  EXPECT_TRUE(explanation.critical->rescues);
  EXPECT_EQ(explanation.aim.name, "images/s");
  EXPECT_THAT(explanation.critical->sentence, HasSubstr("lets all keep up"));
}

TEST(Explain, a_change_that_overloads_a_process_has_no_latency_to_praise) {
  const Explanation explanation = explained(cameras, {"power_mode=7W", "processes.0.count=5"});
  EXPECT_FALSE(explanation.overload.has_value());
  const Explanation over = explained(cameras, {"power_mode=7W", "processes.0.count=12"}, {"one-core-more"});
  ASSERT_TRUE(over.overload.has_value());
  EXPECT_THAT(over.overload->stable_with, ::testing::IsEmpty());
  EXPECT_THAT(over.overload->sentence, HasSubstr("no change that was tried lets it keep up"));
}

TEST(Explain, what_tegrastats_shows_is_never_less_than_what_is_so) {
  const Explanation explanation = explained(gate, {}, {"one-core-more"});
  const auto& gpu = explanation.result.system.gpu;
  EXPECT_EQ(explanation.reported.tool, "tegrastats");
  EXPECT_EQ(explanation.reported.cores, 4);
  EXPECT_GE(*explanation.reported.gpu_percent, 100 * *gpu.busy);
  EXPECT_GE(*gpu.busy, *gpu.array.sm_active);
  EXPECT_NEAR(*explanation.reported.cpu_percent, 25 * *explanation.result.system.cpu.busy_cores, 1e-9);
  EXPECT_LE(*explanation.reported.emc_percent, 100);
}

TEST(Explain, an_interrupt_leaves_no_half_an_answer) {
  const std::atomic<bool> interrupted = true;
  const Scenario scenario = scenario_of(alone);
  EXPECT_THROW((void)explain({.scenario = scenario, .directory = "", .what_ifs = {}},
                             {.interrupt = &interrupted, .trace = nullptr, .progress = {}}),
               Interrupted);
}

TEST(Figures, of_a_scenario_go_over_the_profiles_dotted_or_nested) {
  const std::string contended = alone + "name: x\n";
  const auto with = [&](const std::string& figures) {
    return run_text(contended + figures, {{"processes.0.count=2"}, std::nullopt});
  };
  const Result plain = with("");
  const Result dotted = with("figures: {gpu.time_slicing.switch_at_expiry: 5 ms}\n");
  const Result nested = with("figures: {gpu: {time_slicing: {switch_at_expiry: 5 ms}}}\n");
  EXPECT_LT(*dotted.system.throughput, 0.5 * *plain.system.throughput);
  EXPECT_EQ(to_json(dotted), to_json(nested));
  EXPECT_NE(dotted.profile_hash, plain.profile_hash);
  EXPECT_EQ(to_json(run_text(dotted.resolved)), to_json(dotted));
}

TEST(Figures, that_the_profile_does_not_know_are_refused_with_the_nearest) {
  const auto problem = [](const std::string& figures) -> std::string {
    try {
      (void)scenario_of(alone + figures);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(problem("figures: {gpu.time_slicing.slise: 1 ms}\n"), HasSubstr("did you mean 'slice'?"));
  EXPECT_THAT(problem("figures: {gpu.time_slicing.slice: 1 W}\n"), HasSubstr("unknown unit"));
  EXPECT_THAT(problem("figures: {gpu.time_slicing.slice: [1 ms]}\n"), HasSubstr("figures.gpu"));
  EXPECT_THAT(problem("figures: 3\n"), HasSubstr("expected parameters of a profile"));
}

TEST(Figures, of_what_if_speeds_move_times_of_measured_and_of_computed_kernels) {
  for (const char* device : {"nvidia-h200", "jetson-nano"}) {
    const auto total = [&](const std::string& set) {
      return *run_text(alone, {{fmt::format("device={}", device), "processes.0.runtime=cuda-graph",
                                "processes.0.batch=16", set},
                               std::nullopt})
                  .system.throughput;
    };
    const double plain = total("run.seed=1");
    EXPECT_GT(total("figures.gpu.what_if.memory=2"), 1.02 * plain) << device;
    EXPECT_GT(total("figures.gpu.what_if.arithmetic=2"), 1.02 * plain) << device;
  }
}

// The numbers behind names in "an image takes 73.3 ms: GPU and launches 33.4, decode h264 19.6, the
// rest 5.1".
TEST(LatencyParts, of_a_pipeline_add_up_to_its_mean_latency) {
  const Result result = run_text(
      "device: jetson-orin-nano\njetson_clocks: true\nprocesses:\n"
      "  - {model: yolov8s, precision: fp16, batch: 4, arrivals: {periodic: 20 /s, streams: 2}, "
      "max_queue_delay: 40 ms,\n"
      "     stages: [{decode: h264, size: 1080p}, {colour: vic}, infer, {nms: cpu}], overlap: 3}\n"
      "run: {duration: 4 s, warmup: 1 s}\n");
  const std::string text = latency_parts(result.processes[0]);
  ASSERT_THAT(text, ::testing::StartsWith("an image takes "));
  EXPECT_THAT(text, ::testing::HasSubstr("decode h264 "));
  std::vector<double> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) numbers.push_back(std::stod(word));
  const double sum = std::accumulate(numbers.begin() + 1, numbers.end(), 0.0);
  EXPECT_NEAR(sum, numbers[0], 0.02 * numbers[0]) << text;
  EXPECT_EQ(latency_parts(run_text(alone).processes[0]), "");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
