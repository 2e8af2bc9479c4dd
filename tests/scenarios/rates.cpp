// Rates of short runs: without bias, and with intervals that hold the true rate.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "scenarios/run/parallel.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

// What `get` reads of a run of each seed, from 1 on.
template <class Get>
auto of_seeds(const std::string& text, std::size_t seeds, const Get& get) {
  Scenario scenario = scenario_of(text);
  std::vector<decltype(get(std::declval<const Result&>()))> found(seeds);
  parallel_for(seeds, [&](std::size_t i) {
    Scenario own = scenario;
    own.run.seed = i + 1;
    found[i] = get(run(own, {}).value());
  });
  return found;
}

std::string on_h200(const std::string& arrivals, const std::string& run) {
  return "device: nvidia-h200\nprocesses:\n  - {model: resnet18, precision: fp16, runtime: cuda-graph, "
         "arrivals: " +
         arrivals + "}\nrun: {" + run + "}\n";
}

// The mean rate of all seeds, in standard errors from the truth; an empty run counts as 0.
double bias_of(const std::string& text, double truth) {
  const auto rates = of_seeds(
      text, 2000, [](const Result& result) { return result.processes[0].throughput.mean.value_or(0); });
  double sum = 0, squares = 0;
  for (const double rate : rates) {
    sum += rate - truth;
    squares += (rate - truth) * (rate - truth);
  }
  const auto n = static_cast<double>(rates.size());
  if (squares < 1e-9 * n) return 0;  // all runs say the truth
  return sum / n / std::sqrt(std::max(squares / n - sum / n * sum / n, 1e-12) / n);
}

TEST(Rates, of_sparse_requests_are_without_bias) {
  for (const char* const run : {"duration: 2 s, warmup: 0.2 s", "duration: 4 s, warmup: 2 s"}) {
    EXPECT_LT(std::abs(bias_of(on_h200("{poisson: 1 /s}", run), 1)), 3) << run;
    EXPECT_LT(std::abs(bias_of(on_h200("{poisson: 5 /s}", run), 5)), 3) << run;
    EXPECT_LT(std::abs(bias_of(on_h200("{periodic: 1.3 /s}", run), 1.3)), 3) << run;
    EXPECT_LT(std::abs(bias_of(on_h200("{periodic: 0.4 /s, streams: 3}", run), 1.2)), 3) << run;
  }
}

TEST(Rates, of_clients_that_think_at_random_are_without_bias) {
  // An answer takes 0.2 ms after half a second of thought.
  const std::string text =
      on_h200("{clients: 1, think: {exponential: 500 ms}}", "duration: 4 s, warmup: 5 s");
  const Result once = run_text(on_h200("{clients: 1, think: {exponential: 500 ms}}", "duration: 100 s"));
  const double truth = 1 / (0.5 + once.processes[0].latency_ms.mean.value() / 1e3);
  EXPECT_LT(std::abs(bias_of(text, truth)), 3);
}

// The number of 200 seeds whose interval of the total rate holds the truth.
int held(const std::string& text, double truth) {
  const auto hold = of_seeds(text, 200, [&](const Result& result) {
    const Interval ci =
        result.replications > 1 ? result.system.throughput_ci95 : result.processes.back().throughput.ci95;
    return ci && ci->first <= truth && truth <= ci->second ? 1 : 0;
  });
  int sum = 0;
  for (const int one : hold) sum += one;
  return sum;
}

constexpr const char* followed = R"(
device: nvidia-h200
processes:
  - runtime: cuda-graph
    instances:
      - {name: det, model: bert_tiny, precision: fp16, batch: 4, arrivals: {periodic: 10 /s}}
      - {name: cls, model: alexnet, precision: fp16, batch: 2, after: det, fan_out: {mean: 2}}
run: {duration: 2 s, warmup: 0.5 s)";

TEST(Rates, of_followers_poisson_requests_clients_and_replications_have_intervals_that_hold_the_truth) {
  EXPECT_GE(held(std::string(followed) + "}\n", 120), 186);
  EXPECT_GE(held(std::string(followed) + ", replications: 8}\n", 120), 186);
  EXPECT_GE(held(on_h200("{poisson: 50 /s}", "duration: 4 s"), 50), 186);
  EXPECT_GE(held(on_h200("{poisson: 50 /s}", "duration: 1 s, replications: 8"), 50), 186);
  const std::string clients = "{clients: 4, think: {exponential: 50 ms}}";
  const double truth = run_text(on_h200(clients, "duration: 2000 s")).processes[0].throughput.mean.value();
  EXPECT_GE(held(on_h200(clients, "duration: 4 s"), truth), 186);
}

TEST(Rates, have_intervals_that_go_as_far_up_as_down_beyond_what_is_offered) {
  const auto as_far = of_seeds(on_h200("{poisson: 50 /s}", "duration: 4 s"), 20, [](const Result& result) {
    const Throughput& rate = result.processes[0].throughput;
    return rate.ci95->second - *rate.mean > 0.8 * (*rate.mean - rate.ci95->first) ? 1 : 0;
  });
  for (std::size_t seed = 0; seed < as_far.size(); ++seed) EXPECT_EQ(as_far[seed], 1) << seed;
}

TEST(Rates, of_replications_count_those_without_a_request) {
  const Result result = run_text(
      "device: nvidia-h200\nprocesses:\n"
      "  - {model: resnet50, precision: fp16, runtime: cuda-graph, arrivals: {periodic: 100 /s}}\n"
      "  - {model: resnet18, precision: fp16, runtime: cuda-graph, arrivals: {periodic: 1 /s}}\n"
      "run: {duration: 0.5 s, warmup: 0.2 s, replications: 8}\n");
  const ProcessResult& rare = result.processes[1];
  EXPECT_EQ(rare.throughput.mean, rare.images.value() / 4);
  EXPECT_GT(rare.images.value(), 0);
  EXPECT_NEAR(result.system.throughput.value(), 100 + *rare.throughput.mean, 0.01);
  EXPECT_TRUE(result.system.energy_per_image_mj);
  EXPECT_TRUE(result.system.throughput_ci95);
}

// The length of a run that has none ---------------------------------------------------------------

TEST(DefaultDuration, is_as_long_as_p99_of_sources_of_20_a_second_takes_and_4_s_for_all_others) {
  const auto seconds = [](const std::string& arrivals) {
    return sim::to_seconds(scenario_of(on_h200(arrivals, "seed: 1")).run.duration);
  };
  EXPECT_EQ(seconds("{periodic: 20 /s}"), 25);
  EXPECT_EQ(seconds("{periodic: 30 /s}"), 16.7);
  EXPECT_EQ(seconds("{poisson: 50 /s}"), 10);
  EXPECT_EQ(seconds("{periodic: 10 /s, streams: 4}"), 12.5);
  EXPECT_EQ(seconds("{periodic: 125 /s}"), 4);
  EXPECT_EQ(seconds("{periodic: 19 /s}"), 4);
  EXPECT_EQ(seconds("{clients: 2, think: 1 s}"), 4);
}

TEST(DefaultDuration, tells_p99_of_every_camera_and_the_length_that_a_slower_source_needs) {
  for (const char* const arrivals : {"{periodic: 20 /s}", "{periodic: 30 /s}", "{poisson: 20 /s}"}) {
    const auto told = of_seeds(on_h200(arrivals, "seed: 1"), 40, [](const Result& result) {
      return result.processes[0].latency_ms.p99 ? 1 : 0;
    });
    int sum = 0;
    for (const int one : told) sum += one;
    EXPECT_EQ(sum, 40) << arrivals;
  }
  const Result slow = run_text(on_h200("{periodic: 5 /s}", "seed: 1"));
  EXPECT_FALSE(slow.processes[0].latency_ms.p99);
  EXPECT_GT(slow.processes[0].latency_ms.needs.back().second.run_s, 70);
}

// Two stages in Python and a network keep a thread of this board busy for 98 % of the time between two
// frames, so that the frames that wait while its clocks rise are worked off only after some seconds.
constexpr const char* nearly_busy =
    "device: jetson-orin-nano-super\npower_mode: 15W\n"
    "processes: [{model: yolo11n, precision: int8, arrivals: {periodic: 30 /s},\n"
    "  stages: [{resize: 640}, {normalise: numpy}, infer, {nms: numpy}]}]\n";

TEST(DefaultWarmup, ends_when_what_cameras_gathered_at_the_start_is_worked_off) {
  const Result found = run_text(nearly_busy),
               steady = run_text(std::string(nearly_busy) + "run: {warmup: 20 s, duration: 20 s}\n"),
               early = run_text(std::string(nearly_busy) + "run: {warmup: 1 s, duration: 20 s}\n");
  EXPECT_GT(found.warmup.set_s, 1.5);
  EXPECT_EQ(early.warmup.set_s, 1);
  const auto p90 = [](const Result& result) { return result.processes[0].latency_ms.p90.value(); };
  EXPECT_NEAR(p90(found), p90(steady), 0.1 * p90(steady));
  EXPECT_GT(p90(early), 1.2 * p90(steady));
}

TEST(DefaultWarmup, is_a_second_where_nothing_waits_and_ends_where_the_queue_only_grows) {
  EXPECT_EQ(run_text(on_h200("{periodic: 100 /s}", "seed: 1")).warmup.set_s, 1);
  const Result grows = run_text(on_h200("{periodic: 100000 /s}", "seed: 1"));
  EXPECT_EQ(grows.processes[0].stable, false);
  EXPECT_LT(grows.warmup.set_s, 1.4);
}

TEST(DefaultDuration, goes_on_until_p99_is_known_unless_it_is_given) {
  const Result found = run_text(nearly_busy),
               given = run_text(std::string(nearly_busy) + "run: {duration: 16.7 s}\n");
  EXPECT_TRUE(found.processes[0].latency_ms.p99);
  EXPECT_LE(found.simulated_s, 60);
  EXPECT_NEAR(given.simulated_s, 16.7, 1e-9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
