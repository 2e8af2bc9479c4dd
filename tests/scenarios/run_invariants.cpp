// What holds for chosen runs: seeds decide, order does not, Little's law, how long a run lasts. The laws of
// every run are in invariants/.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/replications.hpp"
#include "scenarios/run/run.hpp"
#include "sim/contract.hpp"
#include "tests/scenarios/invariants/laws.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string on_board(const std::string& device, const std::string& processes, const std::string& rest = {}) {
  return "device: " + device + "\nprocesses: [" + processes + "]\n" + rest;
}
const std::string short_run = "\nrun: {duration: 1 s, warmup: 250 ms}\n";

// Few and many, bound by host and by GPU, one precision and several, loops and arrivals, short of cores.
std::vector<std::string> mixes() {
  const std::string graph = "model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin";
  return {
      on_board("nvidia-h200", "{" + graph + "}", short_run),
      on_board("nvidia-h200", "{" + graph + ", batch: 16, count: 5}", short_run),
      on_board("nvidia-h200", "{model: resnet50, precision: fp16, runtime: eager, sync: yield, count: 6}",
               "host_cores: 3" + short_run),
      on_board(
          "nvidia-h200",
          "{" + graph +
              ", batch: 4}, {model: mobilenet_v2, precision: tf32, runtime: eager, sync: blocking},"
              "{model: fcn_resnet50, precision: fp32, runtime: cuda-graph, sync: blocking},"
              "{model: {kernels: 100, duration: 20 us, blocks: 132, threads: 256, pace: 30 us}, runtime: "
              "eager,"
              " sync: spin}",
          "cpus: [1, 2]" + short_run),
      on_board(
          "nvidia-h200",
          "{" + graph + ", arrivals: {poisson: 200 /s}}, {" + graph +
              ", batch: 64, nice: 5},"
              "{model: resnet50, precision: tf32, runtime: tensorrt, arrivals: {periodic: 900 /s, queue: 2}}",
          short_run),
      on_board("jetson-orin-nano", "{model: resnet50, precision: int8, count: 4}",
               "host_cores: 3" + short_run),
      on_board("jetson-nano", "{model: resnet50, precision: fp16, count: 3}", "host_cores: 2" + short_run),
      on_board(
          "jetson-tx2",
          "{model: resnet50, precision: fp16, count: 2}, {model: mobilenet_v2, precision: fp32, runtime: "
          "eager,"
          " count: 4}",
          "power_mode: MAXP_CORE_ARM" + short_run),
  };
}

TEST(Contract, that_is_broken_leaves_no_result_of_one_run_or_of_several) {
  RunControl control;
  control.progress = [](double) { sim::contract(false, "nothing is wrong"); };
  for (const char* run_key : {"run: {duration: 100 ms}\n", "run: {duration: 100 ms, replications: 3}\n"}) {
    const Scenario scenario =
        scenario_of(on_board("nvidia-h200", "{model: resnet50, precision: fp16}", run_key));
    EXPECT_THROW((void)run(scenario, control), sim::BrokenContract) << run_key;
  }
}

TEST(EveryMix, obeys_all_laws) {
  for (const std::string& mix : mixes()) {
    const Scenario scenario = scenario_of(mix);
    const Result result = run(scenario, RunControl{}).value();
    EXPECT_THAT(breaches({scenario, device_of(scenario), result}), IsEmpty()) << mix;
  }
}

TEST(Json, has_nulls_only_for_what_has_no_model) {
  for (const std::string& mix : mixes()) {
    const std::string json = to_json(run_text(mix));
    for (const char* key : {"\"mean\":null,\"ci95\"", "\"p50\":null,\"p90\":null,\"p95\"",
                            "\"time_share\":null", "\"busy\":null"})
      EXPECT_EQ(json.find(key), std::string::npos) << key << " in " << json;
  }
}

TEST(Json, of_a_run_without_a_finished_batch_has_nulls_for_what_is_undefined) {
  const Result result =
      run_text(on_board("nvidia-h200",
                        "{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin,"
                        " arrivals: {periodic: 1 /s, phase: 900 ms}}",
                        "run: {duration: 100 ms, warmup: 100 ms}"));
  const ProcessResult& process = result.processes.at(0);
  EXPECT_FALSE(process.latency_ms.mean.has_value());
  EXPECT_FALSE(process.latency_ms.p99.has_value());
  EXPECT_FALSE(process.ec_ms.mean.has_value());
  EXPECT_FALSE(process.sync_ms.has_value());
  EXPECT_FALSE(process.throughput.ci95.has_value());
  EXPECT_NE(to_json(result).find("\"p99\":null"), std::string::npos);
}

// Chance ------------------------------------------------------------------------------------------

TEST(Seed, decides_every_byte_when_runs_share_the_machine_with_others) {
  const std::vector<std::string> all = mixes();
  std::vector<std::string> alone(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) alone[i] = to_json(run_text(all[i]));
  std::vector<std::string> together(2 * all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i)
    threads.emplace_back([&, i] { together[i] = to_json(run_text(all[i % all.size()])); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(together[i], alone[i % all.size()]);
}

TEST(Seed, another_gives_another_run) {
  const std::string mix = mixes().at(2);
  const Result one = run_text(mix, {{}, 1}), two = run_text(mix, {{}, 2});
  EXPECT_NE(one.processes[0].latency_ms.mean, two.processes[0].latency_ms.mean);
  EXPECT_EQ(one.scenario_hash == two.scenario_hash, one.resolved == two.resolved);
}

TEST(Seed, of_one_process_does_not_depend_on_how_many_others_there_are) {
  // Its arrivals are its own, so on a board with room for all they are served at the same rate.
  const std::string front =
      "{model: mobilenet_v2, precision: fp16, runtime: cuda-graph, sync: spin, arrivals: {poisson: 50 /s}}";
  const Result alone = run_text(on_board("nvidia-h200", front, short_run));
  const Result beside = run_text(on_board("nvidia-h200", front + "," + front, short_run));
  EXPECT_NEAR(alone.processes[0].throughput.mean.value(), beside.processes[0].throughput.mean.value(), 0.01);
  EXPECT_GT(
      std::abs(alone.processes[0].throughput.mean.value() - beside.processes[1].throughput.mean.value()),
      0.1);
}

// A process of a mix, whose arrivals and host times are drawn.
constexpr const char* drawn =
    "{model: mobilenet_v2, precision: fp16, runtime: cuda-graph, sync: spin, arrivals: {poisson: 50 /s}}";

TEST(Seed, of_a_process_does_not_depend_on_an_entry_before_it) {
  // On a board with room for both they are served at the same rate.
  const std::string other =
      "{model: resnet18, precision: fp16, runtime: cuda-graph, sync: spin, arrivals: {poisson: 20 /s}}";
  const Result alone = run_text(on_board("nvidia-h200", drawn, short_run));
  const Result after = run_text(on_board("nvidia-h200", other + "," + drawn, short_run));
  EXPECT_NEAR(alone.processes[0].throughput.mean.value(), after.processes[1].throughput.mean.value(), 0.01);
  EXPECT_EQ(alone.processes[0].latency_ms.samples, after.processes[1].latency_ms.samples);
}

TEST(Replications, pool_the_runs_of_their_own_seeds_and_the_first_is_the_run_without_them) {
  const Scenario scenario =
      scenario_of(on_board("nvidia-h200", drawn, "run: {duration: 1 s, replications: 5}"));
  // With two speeds of its cores, replications draw them, and a run alone has the mean.
  profiles::Profile profile = changed_profile("nvidia-h200", {});
  profile.spec->cpu->two_speeds.reset();
  const auto each = run_replications(scenario, profile, {.count = 5}, {}).value();
  double sum = 0;
  std::int64_t latencies = 0;
  for (std::size_t k = 0; k < each.size(); ++k) {
    EXPECT_EQ(each[k].seed, replication_seed(scenario.run.seed, k));
    sum += each[k].processes[0].throughput.mean.value();
    latencies += each[k].processes[0].latency_ms.samples;
  }
  EXPECT_NE(each[0].processes[0].throughput.mean, each[1].processes[0].throughput.mean);
  const auto later = run_replications(scenario, profile, {.first = 3, .count = 1}, {}).value();
  EXPECT_EQ(later[0].processes[0].throughput.mean, each[3].processes[0].throughput.mean);

  const Result all = run(scenario, profile, {}).value();
  EXPECT_EQ(all.replications, 5);
  EXPECT_NEAR(all.processes[0].throughput.mean.value(), sum / 5, 1e-9);
  EXPECT_EQ(all.processes[0].latency_ms.samples, latencies);
  EXPECT_NEAR(all.simulated_s, 5, 1e-9);
  EXPECT_TRUE(all.system.throughput_ci95);
  Scenario once = scenario;
  once.run.replications = 1;
  EXPECT_EQ(run(once, profile, {}).value().processes[0].latency_ms.mean,
            each[0].processes[0].latency_ms.mean);
}

TEST(Replications, cover_the_mean_wait_of_pollaczek_and_khinchine) {
  // One server, M/D/1 at 50 %: waits 2.5 ms before 5 ms of service, and half a millisecond of launch and end.
  const std::string queue =
      "device: nvidia-h200\nfigures: {gpu.idle_wake.cost: 0 us}\nprocesses:\n  - {model: {kernels: 1, "
      "duration: "
      "5 ms, blocks: 132, threads: 256}, runtime: cuda-graph, sync: spin, arrivals: {poisson: 100 /s}}\n"
      "run: {duration: 2 s, replications: 10}\n";
  const double truth = run_text(queue, {{"run={duration: 2000 s}"}, 1}).processes[0].latency_ms.mean.value();
  EXPECT_NEAR(truth, 7.5, 0.2);
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto ci = run_text(queue, {{}, seed}).processes[0].latency_ms.ci95.mean.value();
    covered += ci.first <= truth && truth <= ci.second ? 1 : 0;
  }
  EXPECT_GE(covered, 182);  // of 95 %: fewer come once in 200 times
}

TEST(Replications, draw_the_phases_of_cameras_anew) {
  const Result all = run_text(on_board("nvidia-h200",
                                       "{model: {kernels: 1, duration: 5 ms, blocks: 132, threads: 256}, "
                                       "runtime: cuda-graph, arrivals: {periodic: 30 /s, streams: 5}}",
                                       "run: {duration: 2 s, replications: 6}"));
  const auto ci = all.processes[0].latency_ms.ci95.mean.value();
  EXPECT_GT(ci.second - ci.first, 0.1) << "ms: with equal phases all replications would be the same";
}

TEST(Until, of_a_latency_runs_on_until_it_is_known_and_says_so) {
  const std::string queue = on_board("nvidia-h200",
                                     "{model: {kernels: 1, duration: 5 ms, blocks: 132, threads: 256}, "
                                     "runtime: cuda-graph, sync: spin, arrivals: {poisson: 100 /s}}");
  const auto until = [&](const std::string& words) {
    return run_text(queue, {{"run.until={" + words + "}"}, 1});
  };
  const Result rate = until("relative_error: 10 %, max: 300 s");
  const Result tail = until("relative_error: 10 %, of: [throughput, latency_ms.p99], max: 300 s");
  EXPECT_GT(tail.simulated_s, 2 * rate.simulated_s);
  EXPECT_EQ(tail.system.stop, "relative_error");
  ASSERT_EQ(tail.processes[0].converged.size(), 2U);
  EXPECT_TRUE(tail.processes[0].converged[1].second);
  const auto& [low, high] = tail.processes[0].latency_ms.ci95.p99.value();
  EXPECT_LE((high - low) / 2, 0.1 * tail.processes[0].latency_ms.p99.value());
  const Result never = until("relative_error: 0.1 %, of: [latency_ms.p99], max: 5 s");
  EXPECT_EQ(never.system.stop, "limit");
  EXPECT_FALSE(never.processes[0].converged.front().second);
}

TEST(Percentiles, that_a_run_is_too_short_for_are_absent_with_the_run_that_would_do) {
  const std::string queue = on_board("nvidia-h200",
                                     "{model: {kernels: 1, duration: 5 ms, blocks: 132, threads: 256}, "
                                     "runtime: cuda-graph, sync: spin, arrivals: {poisson: 100 /s}}");
  const Latency brief = run_text(queue, {{"run={duration: 1 s}"}, 1}).processes[0].latency_ms;
  EXPECT_FALSE(brief.p99);
  EXPECT_TRUE(brief.p50);
  ASSERT_FALSE(brief.needs.empty());
  EXPECT_EQ(brief.needs.back().first, "p99");
  const std::string enough = fmt::format("run={{duration: {} s}}", 2 * brief.needs.back().second.run_s);
  const Latency longer = run_text(queue, {{enough}, 1}).processes[0].latency_ms;
  EXPECT_TRUE(longer.p99);
  EXPECT_TRUE(longer.needs.empty());
}

TEST(Percentiles, of_a_queue_that_drops_are_said_to_be_of_the_served) {
  const Latency latency = run_text(on_board("nvidia-h200",
                                            "{model: {kernels: 1, duration: 5 ms, blocks: 132, threads: "
                                            "256}, runtime: cuda-graph, sync: spin,"
                                            " arrivals: {poisson: 190 /s, queue: 1}}",
                                            "run: {duration: 20 s}"))
                              .processes[0]
                              .latency_ms;
  ASSERT_FALSE(latency.of_served.empty());
  EXPECT_EQ(latency.of_served.back(), "p99");
}

TEST(Ci95, contains_the_mean_of_a_long_run_for_most_seeds) {
  const std::string mix =
      on_board("nvidia-h200",
               "{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin,"
               " arrivals: {poisson: 300 /s}}, {model: resnet50, precision: fp16, batch: 4,"
               " runtime: cuda-graph, sync: spin, arrivals: {poisson: 50 /s}}");
  const auto lasting = [&](const std::string& duration, std::uint64_t seed) {
    return run_text(mix, {{"run={duration: " + duration + ", warmup: 200 ms}"}, seed});
  };
  const double truth = 300;
  EXPECT_NEAR(lasting("100 s", 1).processes[0].throughput.mean.value(), truth, 0.02 * truth);
  int contained = 0;
  constexpr int seeds = 20;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Interval ci = lasting("4 s", static_cast<std::uint64_t>(seed)).processes[0].throughput.ci95;
    ASSERT_TRUE(ci.has_value());
    contained += ci->first <= truth && truth <= ci->second ? 1 : 0;
  }
  EXPECT_GE(contained, 16);
}

// Order -------------------------------------------------------------------------------------------

TEST(EqualProcesses, get_equal_shares) {
  const Result result = run_text(mixes().at(1));
  for (const ProcessResult& process : result.processes)
    EXPECT_NEAR(process.throughput.mean.value(), result.processes[0].throughput.mean.value(),
                0.01 * result.processes[0].throughput.mean.value());
}

TEST(EqualProcesses, make_no_difference_when_they_change_places) {
  // Without chance, and all with the same phase: who stands where in the file is all that differs.
  const std::string small =
      "{name: small, model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin}";
  const std::string large =
      "{name: large, model: resnet50, precision: fp16, batch: 16, runtime: cuda-graph, sync: spin}";
  const auto by_name = [](const Result& result, const std::string& name) {
    double sum = 0;
    for (const ProcessResult& process : result.processes)
      if (process.name == name) sum += process.throughput.mean.value();
    return sum;
  };
  const std::string rest = "\nrun: {duration: 4 s, warmup: 500 ms}\n";
  const Result one = run_text(on_board("nvidia-h200", small + "," + large + "," + small, rest));
  for (const std::string& order : {small + "," + small + "," + large, large + "," + small + "," + small}) {
    const Result other = run_text(on_board("nvidia-h200", order, rest));
    for (const std::string name : {"small", "large"})
      EXPECT_NEAR(by_name(other, name), by_name(one, name), 0.01 * by_name(one, name)) << order << name;
  }
}

TEST(Count, is_expanded_in_order) {
  const Result result = run_text(on_board("nvidia-h200",
                                          "{model: resnet50, precision: fp16, runtime: cuda-graph, count: 2},"
                                          "{model: mobilenet_v2, precision: fp16, runtime: eager},"
                                          "{model: resnet50, precision: fp32, runtime: cuda-graph, count: 3}",
                                          short_run));
  std::vector<std::int64_t> index, entry;
  for (const ProcessResult& process : result.processes) {
    index.push_back(process.index);
    entry.push_back(process.entry);
    EXPECT_EQ(process.status, "ok");
  }
  EXPECT_THAT(index, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(entry, ElementsAre(0, 0, 1, 2, 2, 2));
  EXPECT_EQ(result.processes[2].model, "mobilenet_v2");
  EXPECT_EQ(result.processes[5].precision, "fp32");
  EXPECT_EQ(result.status, "ok");
}

// Each board --------------------------------------------------------------------------------------

TEST(OneProcess, of_any_runtime_and_sync_runs_on_every_board_and_obeys_littles_law) {
  for (const std::string& device : gpu_devices()) {
    for (const std::string runtime : {"tensorrt", "cuda-graph", "eager"}) {
      for (const std::string sync : {"spin", "yield", "blocking", "auto"}) {
        const std::string text = on_board(
            device,
            "{model: resnet50, precision: fp16, batch: 4, runtime: " + runtime + ", sync: " + sync + "}",
            "run: {duration: 20 s, warmup: 2 s}");
        const Result result = run_text(text);
        const ProcessResult& process = result.processes.at(0);
        EXPECT_GT(process.throughput.mean.value(), 0) << text;
        // One batch is always enqueued ahead: each is counted from its enqueue call to its completion, and
        // the next enters as one is seen done. Two are in flight, of four images each.
        const double in_flight = process.throughput.mean.value() * process.latency_ms.mean.value() / 1e3;
        EXPECT_NEAR(in_flight, 2 * 4, 0.02 * 8) << text;
      }
    }
  }
}

// How long a run lasts ----------------------------------------------------------------------------

const std::string random_load =
    "{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, arrivals: {poisson: 100 /s}}";

TEST(Until, stops_when_the_interval_is_as_narrow_as_asked) {
  const Result result = run_text(
      on_board("nvidia-h200", random_load, "run: {until: {relative_error: 3 %, max: 1000 s}, warmup: 1 s}"));
  EXPECT_EQ(result.system.stop, "relative_error");
  EXPECT_LT(result.simulated_s, 1000);
  const Throughput& throughput = result.processes[0].throughput;
  EXPECT_LE((throughput.ci95->second - throughput.ci95->first) / 2, 0.03 * throughput.mean.value());
}

TEST(Until, asks_for_a_longer_run_when_it_asks_for_more) {
  const auto simulated = [](const char* error) {
    return run_text(on_board("nvidia-h200", random_load,
                             fmt::format("run: {{until: {{relative_error: {}, max: 1000 s}}, warmup: 1 s}}",
                                         error)))
        .simulated_s;
  };
  EXPECT_GT(simulated("1 %"), simulated("5 %"));
}

TEST(Until, stops_at_its_limit_and_says_so) {
  const Result result = run_text(
      on_board("nvidia-h200", random_load, "run: {until: {relative_error: 0.01 %, max: 2 s}, warmup: 1 s}"));
  EXPECT_EQ(result.system.stop, "limit");
  EXPECT_DOUBLE_EQ(result.simulated_s, 2);
}

TEST(Duration, excludes_the_warmup) {
  const Result result = run_text(on_board("nvidia-h200", random_load, "run: {duration: 3 s, warmup: 2 s}"));
  EXPECT_EQ(result.system.stop, "duration");
  EXPECT_DOUBLE_EQ(result.simulated_s, 3);
}

// Arrivals ----------------------------------------------------------------------------------------

TEST(Arrivals, that_the_gpu_can_take_are_all_served) {
  const Result result = run_text(on_board("nvidia-h200",
                                          "{model: resnet50, precision: fp16, batch: 4, runtime: cuda-graph,"
                                          " sync: spin, arrivals: {periodic: 100 /s}}",
                                          "run: {duration: 10 s, warmup: 1 s}"));
  EXPECT_NEAR(result.processes[0].throughput.mean.value(), 400, 1);
  EXPECT_EQ(result.processes[0].drops, 0);
}

TEST(Arrivals, that_gather_to_batches_are_dropped_image_by_image) {
  const std::string load =
      "{model: resnet50, precision: fp16, batch: 16, runtime: cuda-graph, sync: spin,"
      " max_queue_delay: 10 ms, arrivals: {periodic: 20000 /s, queue: 32}}";
  const Result result = run_text(on_board("nvidia-h200", load, "run: {duration: 5 s, warmup: 1 s}"));
  const ProcessResult& process = result.processes[0];
  ASSERT_GT(process.drops, 0);
  EXPECT_NEAR(process.throughput.mean.value() * 5 + static_cast<double>(process.drops), 100'000, 50);
  EXPECT_NEAR(dropped_share(process).value(), 1 - process.throughput.mean.value() / 20'000, 1e-3);
}

TEST(Arrivals, beyond_a_bounded_queue_are_dropped_and_counted) {
  const std::string load =
      "{model: resnet50, precision: fp16, batch: 16, runtime: cuda-graph, sync: spin,"
      " arrivals: {periodic: 1000 /s, queue: 3}}";
  const Result result = run_text(on_board("nvidia-h200", load, "run: {duration: 10 s, warmup: 1 s}"));
  const ProcessResult& process = result.processes[0];
  EXPECT_GT(process.drops, 0);
  // What arrives is served, dropped or in the queue.
  EXPECT_NEAR(process.throughput.mean.value() / 16 * 10 + static_cast<double>(process.drops), 10'000, 5);
  EXPECT_NEAR(dropped_share(process).value(), 1 - process.throughput.mean.value() / 16'000, 1e-3);
  // A request waits for at most three others and the one being served.
  const Result alone = run_text(on_board("nvidia-h200",
                                         "{model: resnet50, precision: fp16, batch: 16, runtime: cuda-graph,"
                                         " sync: spin, arrivals: {periodic: 10 /s}}",
                                         short_run));
  EXPECT_LT(process.latency_ms.p99.value(), 5 * alone.processes[0].latency_ms.p50.value());
}

TEST(Arrivals, of_a_trace_are_served_as_they_stand_in_it) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     fmt::format("jostle_arrivals_{}.csv", static_cast<const void*>(&file));
  {
    std::ofstream stream(file);
    for (int i = 0; i < 100; ++i) stream << 1.0 + 0.02 * i << "\n" << 1.0 + 0.02 * i << "\n";  // pairs
  }
  const Result result =
      run_text(on_board("nvidia-h200",
                        "{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin,"
                        " arrivals: {trace: " +
                            file.string() + "}}",
                        "run: {duration: 2 s, warmup: 990 ms}"));
  std::filesystem::remove(file);
  const ProcessResult& process = result.processes[0];
  EXPECT_NEAR(process.throughput.mean.value(), 100, 2);
  // The second of a pair waits for the first.
  EXPECT_GT(process.latency_ms.p90.value(), 1.25 * process.latency_ms.mean.value());
}

TEST(Arrivals, of_a_trace_that_ends_early_count_over_the_whole_run) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     fmt::format("jostle_arrivals_{}.csv", static_cast<const void*>(&file));
  {
    std::ofstream stream(file);
    for (int i = 0; i < 100; ++i) stream << 1.0 + 0.01 * i << "\n";  // the first of two seconds
  }
  const Result result =
      run_text(on_board("nvidia-h200",
                        "{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin,"
                        " arrivals: {trace: " +
                            file.string() + "}}",
                        "run: {duration: 2 s, warmup: 990 ms}"));
  std::filesystem::remove(file);
  EXPECT_NEAR(result.processes[0].throughput.mean.value(), 50, 1e-9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
