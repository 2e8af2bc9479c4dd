// Transients are not told as steady, noise is not told as a transient, and a run that begins at its
// equilibrium stays there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string two_resnets = "processes: [{model: resnet50, precision: fp16, batch: 8, count: 2}]\n";

std::string hot(double ambient_c, const std::string& run = {},
                const std::string& device = "jetson-orin-nano-super") {
  return fmt::format("device: {}\nambient: {} degC\nfan: false\n", device, ambient_c) + two_resnets + run;
}

const std::string at_equilibrium = "run: {thermal: equilibrium}\n";

// A queue of 5 ms a request on one GPU.
std::string queue(double per_s, std::uint64_t seed) {
  return fmt::format(
      "device: nvidia-h200\nfigures: {{gpu.idle_wake.cost: 0 us}}\nprocesses:\n"
      "  - {{model: {{kernels: 1, duration: 5 ms, blocks: 132, threads: 256}}, runtime: cuda-graph, sync: "
      "spin,\n"
      "     arrivals: {{poisson: {} /s}}}}\nrun: {{seed: {}}}\n",
      per_s, seed);
}

TEST(Steadiness, a_board_that_will_throttle_is_not_steady) {
  const Result result = run_text(hot(40));
  EXPECT_EQ(result.stationary, false);
  EXPECT_EQ(result.processes[0].stationary, false);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_THAT(result.warnings[0], HasSubstr("99 degC in about 2 min, where clocks are lowered"));
  EXPECT_THAT(to_json(result), HasSubstr(R"("stationary":false)"));
}

// It takes as long as the sentence says.
TEST(Steadiness, the_trip_point_is_reached_when_the_forecast_says) {
  const Result before = run_text(hot(40, "run: {duration: 100 s}\n")),
               after = run_text(hot(40, "run: {duration: 200 s}\n"));
  EXPECT_LT(before.system.temperature_peak_c.value(), 99);
  EXPECT_GE(after.system.temperature_peak_c.value(), 99);
}

TEST(Steadiness, a_board_as_warm_as_its_load_makes_it_is_steady) {
  for (const std::string device : {"jetson-orin-nano-super", "jetson-agx-orin-64gb", "nvidia-h200"}) {
    const Result result = run_text("device: " + device + "\n" + two_resnets + at_equilibrium);
    EXPECT_EQ(result.stationary, true) << device;
    EXPECT_EQ(result.processes[1].stationary, true);
    EXPECT_THAT(result.warnings, IsEmpty());
  }
}

TEST(Steadiness, leakage_that_moves_only_power_leaves_processes_steady) {
  const Result result = run_text(hot(25, {}, "jetson-orin-nano"));
  EXPECT_EQ(result.stationary, false);
  EXPECT_EQ(result.processes[0].stationary, true);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("W instead of 11.")));
}

TEST(Steadiness, a_run_over_the_rise_of_temperature_is_not_steady_and_one_after_it_is) {
  EXPECT_EQ(run_text(hot(40, "run: {duration: 300 s}\n")).stationary, false);
  EXPECT_EQ(run_text(hot(40, "run: {warmup: 900 s, duration: 200 s}\n")).stationary, true);
}

TEST(Steadiness, a_backlog_that_grows_is_not_steady) {
  const Result result = run_text(queue(250, 1));
  EXPECT_EQ(result.processes[0].stable, false);
  EXPECT_EQ(result.processes[0].stationary, false);
  EXPECT_EQ(result.stationary, false);
}

TEST(Steadiness, is_not_a_question_where_work_ends) {
  const Result result = run_text("device: nvidia-h200\n" + two_resnets + "run: {batches: 20}\n");
  EXPECT_FALSE(result.stationary);
  EXPECT_FALSE(result.processes[0].stationary);
}

// One false alarm in a thousand runs: of 400, at most 4 with probability 0.9999.
TEST(Steadiness, noise_is_no_drift) {
  for (const double rate : {20.0, 100.0, 180.0}) {
    int alarms = 0, told = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      const Result result = run_text(queue(rate, seed));
      if (result.processes[0].stable == false) continue;  // that is told
      alarms += result.stationary == false;
      told += result.stationary.has_value();
    }
    EXPECT_LE(alarms, 4) << rate;
    EXPECT_GE(told, 380) << rate;
  }
}

// Likewise of 200, at most 3.
TEST(Steadiness, processes_that_share_a_board_are_no_drift) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Result result = run_text(
        fmt::format("device: jetson-orin-nano-super\nprocesses:\n"
                    "  - {{model: resnet50, precision: fp16, batch: 4}}\n"
                    "  - {{model: mobilenet_v2, precision: int8, count: 2, arrivals: {{periodic: 30 /s}}}}\n"
                    "  - {{model: yolov8n, precision: int8, arrivals: {{poisson: 20 /s}}}}\nrun: {{seed: {}, "
                    "thermal: equilibrium}}\n",
                    seed));
    alarms += result.stationary == false;
  }
  EXPECT_LE(alarms, 3);
}

TEST(Warmup, auto_is_what_mser_5_finds) {
  const std::string text = "device: jetson-orin-nano-super\n" + two_resnets;
  const Result result = run_text(text + "run: {warmup: auto}\n");
  EXPECT_GT(result.warmup.set_s, 0);
  EXPECT_LT(result.warmup.set_s, 2.5);
  EXPECT_EQ(result.simulated_s, 4);
  EXPECT_THAT(result.resolved, HasSubstr(R"("warmup":"auto")"));
  EXPECT_NEAR(result.system.throughput.value(), run_text(text).system.throughput.value(), 2);
}

// The governor of the GPU needs a while to reach the highest clock.
TEST(Warmup, that_is_too_short_is_told_with_what_would_do) {
  const Result result = run_text(
      "device: jetson-nano\nprocesses: [{model: resnet50, precision: fp16, count: 2}]\n"
      "run: {warmup: 10 ms, duration: 8 s, thermal: equilibrium}\n");
  EXPECT_THAT(result.warnings, ::testing::Contains(HasSubstr("set warmup to 0.3 s or more")));
  EXPECT_EQ(result.stationary, false);
  EXPECT_GT(result.warmup.throughput_s.value(), 0.1);
}

// Four users whose answers take seconds: after one second the board is still at the first ones.
TEST(Warmup, that_is_shorter_than_an_answer_is_told_with_what_would_do) {
  const std::string text =
      "device: jetson-agx-orin-64gb\njetson_clocks: true\nprocesses:\n"
      "  - {model: qwen3_0.6b, precision: awq, runtime: tensorrt-llm, generate: {prompt: 55, tokens: 128},\n"
      "     users: 4}\nrun: {duration: 10 s, thermal: equilibrium";
  const Result soon = run_text(text + "}\n");
  const double answer_s = soon.processes[0].latency_ms.mean.value() / 1e3;
  ASSERT_GT(answer_s, 1.1);
  EXPECT_THAT(soon.warnings, ::testing::Contains(HasSubstr("is shorter than an answer of process 0")));
  EXPECT_EQ(soon.stationary, false);
  const Result later = run_text(text + fmt::format(", warmup: {} s}}\n", 1.1 * answer_s));
  EXPECT_THAT(later.warnings, ::testing::Not(::testing::Contains(HasSubstr("shorter than an answer"))));
  EXPECT_GE(run_text(text + ", warmup: auto}\n").warmup.set_s, 0.9 * answer_s);
}

TEST(ThermalEquilibrium, stays_where_it_begins) {
  for (const std::string device : {"jetson-orin-nano-super", "jetson-tx2", "jetson-agx-xavier"}) {
    for (const std::string fan : {"true", "false"}) {
      const std::string text = "device: " + device + "\nfan: " + fan + "\n" + two_resnets;
      const Result soon = run_text(text + at_equilibrium),
                   later = run_text(text + "run: {thermal: equilibrium, duration: 300 s}\n");
      EXPECT_NEAR(*soon.system.temperature_c, *later.system.temperature_c, 0.5) << device << fan;
    }
  }
}

// At 40 degrees steps of the throttle have two cycles that last, one from each side.
TEST(ThermalEquilibrium, is_where_a_long_run_from_cold_ends) {
  for (const double ambient : {25.0, 38.0}) {
    const Result cold = run_text(hot(ambient, "run: {warmup: 1200 s, duration: 300 s}\n")),
                 start = run_text(hot(ambient, "run: {thermal: equilibrium, duration: 60 s}\n"));
    EXPECT_EQ(start.stationary, true);
    EXPECT_NEAR(*start.system.throughput, *cold.system.throughput, 0.01 * *cold.system.throughput);
    EXPECT_NEAR(*start.system.power_w.mean, *cold.system.power_w.mean, 0.01 * *cold.system.power_w.mean);
    EXPECT_NEAR(*start.system.temperature_c, *cold.system.temperature_c, 0.5);
  }
}

TEST(ThermalEquilibrium, is_warmer_and_not_faster_in_warmer_air) {
  double celsius = 0, throughput = 1e9;
  for (const double ambient : {0.0, 15.0, 30.0, 40.0, 50.0}) {
    const Result result = run_text(hot(ambient, "run: {thermal: equilibrium, duration: 60 s}\n"));
    EXPECT_GE(*result.system.temperature_c, celsius - 0.3) << ambient;
    EXPECT_LE(*result.system.throughput, 1.005 * throughput) << ambient;
    celsius = *result.system.temperature_c;
    throughput = *result.system.throughput;
  }
}

TEST(ThermalEquilibrium, that_no_clock_is_low_enough_for_is_a_shutdown) {
  const Result result = run_text(hot(95, at_equilibrium));
  EXPECT_EQ(result.status, "thermal_shutdown");
  EXPECT_EQ(result.processes[1].status, "thermal_shutdown");
  EXPECT_THAT(result.processes[1].problem,
              HasSubstr("without its fan, this load heats the chip to 104.5 degC"));
  EXPECT_FALSE(result.processes[1].throughput.mean);
}

// Steps of the cooling devices count from the highest clock of the board, not of its power mode.
TEST(ThermalEquilibrium, lowers_a_clock_that_is_limited_already) {
  for (const char* clock : {"510 MHz", "1020 MHz"}) {
    const Result result = run_text(
        fmt::format(
            "device: jetson-orin-nano-super\nambient: 40 degC\nfan: false\nclocks: {{gpu: {}}}\nprocesses: "
            "[{{model: yolov8n, precision: int8, batch: 8}}]\n",
            clock) +
        at_equilibrium);
    ASSERT_EQ(result.status, "ok") << clock;
    EXPECT_LT(*result.system.temperature_c, 101);
    EXPECT_LT(*result.system.gpu.clock_mhz, 500);
  }
}

std::string without_fan(const std::string& device, const std::string& mode, int ambient_c) {
  return fmt::format(
             "device: {}\npower_mode: {}\nambient: {} degC\nfan: false\nprocesses: "
             "[{{model: resnet50, precision: fp16, batch: 8}}]\n",
             device, mode, ambient_c) +
         at_equilibrium;
}

TEST(ThermalEquilibrium, without_a_fan_at_40_degrees_every_mode_of_every_jetson_throttles_or_needs_not) {
  for (const std::string& name : profiles::device_names()) {
    if (!name.starts_with("jetson")) continue;
    input::Problems problems;
    const auto profile = profiles::shipped_profile(name, problems);
    ASSERT_TRUE(profile) << problems.text();
    for (const board::PowerMode& mode : profile->spec->power_modes) {
      const Result result = run_text(without_fan(name, mode.name, 40));
      ASSERT_EQ(result.status, "ok") << name << " " << mode.name;
      EXPECT_LT(*result.system.temperature_c, profile->spec->power->thermal->critical_c.value_or(200))
          << name << " " << mode.name;
    }
  }
}

TEST(ThermalEquilibrium, hotter_air_never_raises_the_clocks) {
  for (const char* mode : {"7W", "15W", "MAXN_SUPER"}) {
    double before = 2000;
    for (const int ambient_c : {10, 20, 30, 40, 50}) {
      const Result result = run_text(without_fan("jetson-orin-nano-super", mode, ambient_c));
      ASSERT_EQ(result.status, "ok") << mode << " " << ambient_c;
      EXPECT_LE(*result.system.gpu.clock_mhz, before + 0.01 * before) << mode << " " << ambient_c;
      before = *result.system.gpu.clock_mhz;
    }
  }
}

TEST(ThermalEquilibrium, a_board_that_shuts_down_in_the_warmup_has_run_for_no_time) {
  const Result result = run_text(hot(70, "run: {warmup: 900 s, duration: 100 s}\n"));
  EXPECT_EQ(result.system.stop, "thermal_shutdown");
  EXPECT_EQ(result.simulated_s, 0);
}

TEST(ThermalEquilibrium, changes_nothing_where_no_temperature_is_known) {
  const std::string text = "device: nvidia-h200\n" + two_resnets;
  EXPECT_EQ(*run_text(text + at_equilibrium).system.throughput, *run_text(text).system.throughput);
}

TEST(ThermalEquilibrium, is_read_and_echoed) {
  EXPECT_THAT(load_text(around(plain_process, "run: {thermal: warm}\n")).errors, HasSubstr("equilibrium"));
  EXPECT_THAT(load_text(around(plain_process, "run: {thermal: equilibrium, batches: 3}\n")).errors,
              HasSubstr("cannot be combined with batches"));
  const auto loaded = load_text(around(plain_process, at_equilibrium));
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  EXPECT_THAT(to_json(*loaded.scenario), HasSubstr(R"("thermal":"equilibrium")"));
  EXPECT_EQ(to_json(*load_text(around(plain_process)).scenario).find("thermal"), std::string::npos);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
