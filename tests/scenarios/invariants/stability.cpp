// Stable or overloaded, against queueing theory: a load below the capacity is stable, one above is not.
//
// The capacity is what the same processes serve when requests never end. How close to it a load may lie
// depends on how many requests a run serves: here at 3 % from it, of some hundred requests.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::Each;

// `arrivals` and `count` are put into the process.
struct Server {
  std::string name, board, process;
  int count;
};

std::vector<Server> servers() {
  const std::string orin = "device: jetson-orin-nano\njetson_clocks: true\n";
  const std::string small = "model: {kernels: 4, duration: 200 us, blocks: 64, threads: 128}";
  return {
      {"one on the GPU", orin, small, 1},
      {"an eager network", orin, "model: bert_tiny, precision: fp16, runtime: eager", 1},
      {"a batch of four", orin, small + ", batch: 4", 1},
      {"three that share the GPU", orin, small, 3},
      {"two under MPS", "device: jetson-orin-nano-super\njetson_clocks: true\nsharing: mps\n", small, 2},
      {"one with stages on the host", orin, small + ", stages: {before: [{name: decode, time: 1 ms}]}", 1},
      {"on the CPU", "device: jetson-orin-nano\njetson_clocks: true\n",
       "model: bert_tiny, precision: fp32, placement: cpu, threads: 2", 1},
      {"spinning on a server", "device: nvidia-h200\n", small + ", runtime: cuda-graph, sync: spin", 1},
      {"on the GPU, behind a link", orin + "link: {bandwidth: 1 Gbit/s, rtt: 20 ms, payload: 1 kB}\n", small,
       1},
      {"on the CPU, behind a link", orin + "link: {bandwidth: 1 Gbit/s, rtt: 20 ms, payload: 1 kB}\n",
       "model: bert_tiny, precision: fp32, placement: cpu, threads: 2", 1},
  };
}

Result run_with(const Server& server, const std::string& arrivals, double seconds = 1) {
  return run_text(
      fmt::format("{}processes: [{{{}, count: {}, arrivals: {{{}}}}}]\n"
                  "run: {{duration: {} ms, warmup: 200 ms}}\n",
                  server.board, server.process, server.count, arrivals, 1e3 * seconds));
}

// Requests/s that each process serves where there is always one more.
double capacity(const Server& server) {
  const Result result = run_with(server, "periodic: 20000 /s, queue: 2", 2);
  return result.system.throughput.value() / static_cast<double>(result.processes[0].batch) / server.count;
}

std::string form(const std::string& kind, double rate) {
  if (kind == "streams") return fmt::format("periodic: {} /s, streams: 4", rate / 4);
  return fmt::format("{}: {} /s", kind, rate);
}

TEST(Stability, is_what_queueing_theory_says) {
  for (const Server& server : servers()) {
    const double most = capacity(server);
    ASSERT_GT(most, 50) << server.name;
    for (const std::string kind : {"periodic", "poisson", "streams"}) {
      // near_the_capacity_is_known_of_long_runs asks them.
      const bool slow_to_tell = server.count > 1 && kind == "poisson";
      for (const double rho : {0.5, 0.8, 0.9, 0.97, 1.03, 1.1, 1.5, 3.0}) {
        if (slow_to_tell && rho > 1 && rho < 1.5) continue;
        // Under MPS both processes' requests come at one instant and slow each other down: fewer fit than
        // `most`.
        if (server.name == "two under MPS" && kind == "periodic" && rho > 0.8 && rho < 1) continue;
        const Result result = run_with(server, form(kind, rho * most));
        for (const ProcessResult& process : result.processes) {
          SCOPED_TRACE(fmt::format("{}, {}, {} of {} requests/s, process {}", server.name, kind, rho, most,
                                   process.index));
          EXPECT_EQ(process.stable, rho < 1);
          if (rho < 1) continue;
          const double batch = static_cast<double>(process.batch);
          EXPECT_NEAR(process.backlog_growth.value_or(0), (rho - 1) * most * batch,
                      0.05 * rho * most * batch);
        }
      }
    }
  }
}

TEST(Stability, of_a_link_is_what_queueing_theory_says) {
  for (const std::string queue : {"", ", queue: 2"}) {
    for (const std::string kind : {"periodic", "poisson"}) {
      for (const double rho : {0.5, 0.9, 0.97, 1.03, 1.5, 3.0}) {
        // 10 kB at 8 Mbit/s: 10 ms, and every tenth attempt is lost.
        const double rate = rho * 90 / 3;
        const Result result = run_text(fmt::format(
            "device: nvidia-h200\n"
            "link: {{bandwidth: 8 Mbit/s, rtt: 10 ms, payload: 10 kB, loss: 10 %}}\n"
            "processes: [{{model: resnet18, precision: fp16, count: 3, arrivals: {{{}: {} /s{}}}}}]\n"
            "run: {{duration: 1 s, warmup: 200 ms}}\n",
            kind, rate, queue));
        for (const ProcessResult& process : result.processes) {
          SCOPED_TRACE(fmt::format("{}{} {}", kind, queue, rho));
          EXPECT_EQ(process.stable, rho < 1);
          EXPECT_EQ(process.backlog_growth > 0, rho > 1);
        }
        EXPECT_NEAR(result.system.link->load.value(), rho, 1e-9);
      }
    }
  }
}

// Of a process alone, the flag is right at 2 % from the capacity within four seconds. Where several share the
// GPU and requests come at random, what they take from each other shows only when the backlogs are there: a
// load below the capacity is never called unstable, one above only when the run is long enough.
TEST(Stability, near_the_capacity_is_known_of_long_runs) {
  const auto flags = [](const Server& server, double rho, double seconds) {
    std::vector<bool> stable;
    const Result result = run_with(server, form("poisson", rho * capacity(server)), seconds);
    for (const ProcessResult& process : result.processes) stable.push_back(process.stable.value());
    return stable;
  };
  const std::vector<Server> all = servers();
  for (const std::size_t lone : {0U, 1U, 6U, 7U, 9U}) {
    EXPECT_THAT(flags(all[lone], 0.98, 4), Each(true)) << all[lone].name;
    EXPECT_THAT(flags(all[lone], 1.02, 4), Each(false)) << all[lone].name;
  }
  for (const double seconds : {0.5, 2.0, 16.0})
    EXPECT_THAT(flags(all[3], 0.99, seconds), Each(true)) << seconds;
  EXPECT_THAT(flags(all[3], 1.1, 2), Each(false));
  EXPECT_THAT(flags(all[3], 1.03, 16), Each(false));
}

// Requests that gather to batches of at most eight, on so many streams.
std::string gathering(const std::string& arrivals, int delay_ms, int streams, double seconds) {
  return fmt::format(
      "device: nvidia-h200\nfigures: {{gpu.idle_wake.cost: 0 us}}\nprocesses:\n"
      "  - {{model: resnet50, precision: fp16, batch: 8, runtime: cuda-graph, sync: spin, streams: {},\n"
      "     arrivals: {{{}}}, max_queue_delay: {} ms}}\nrun: {{duration: {} s, warmup: 200 ms}}\n",
      streams, arrivals, delay_ms, seconds);
}

// A batch that goes before it is full takes longer for each image than a full one: what such batches serve
// is no capacity. Two streams have one seed, since their kernels overlap, which takes longer to simulate.
TEST(Stability, of_requests_that_gather_is_whether_full_batches_would_keep_up) {
  for (const int streams : {1, 2}) {
    const double most = run_text(gathering("poisson: 40000 /s, queue: 64", 0, streams, 2))
                            .processes[0]
                            .throughput.mean.value();
    for (const int delay_ms : {0, 1, 2}) {
      for (const double rho : {0.5, 0.7, 0.8, 0.9, 0.95, 1.05, 1.5}) {
        const std::string text =
            gathering(fmt::format("poisson: {} /s", rho * most), delay_ms, streams, rho < 1 ? 1 : 2);
        for (std::uint64_t seed = 1; seed <= (streams == 1 ? 3 : 1); ++seed) {
          SCOPED_TRACE(fmt::format("{} streams, {} ms, {} of {} images/s, seed {}", streams, delay_ms, rho,
                                   most, seed));
          const ProcessResult process = run_text(text, {{}, seed}).processes[0];
          EXPECT_EQ(process.stable, rho < 1);
          EXPECT_EQ(process.stable_rate.has_value(), rho > 1);
          if (rho > 1) {
            EXPECT_NEAR(process.stable_rate.value_or(0), most, 0.02 * most);
          }
        }
      }
    }
  }
}

// Full batches of a process that shares the GPU are those of moments in which the other one has work, too.
TEST(Stability, of_requests_that_gather_beside_another_process_is_not_that_of_its_slow_moments) {
  const std::string text =
      "device: nvidia-h200\nprocesses:\n"
      "  - {{model: resnet50, precision: fp16, batch: 8, runtime: cuda-graph, sync: spin,\n"
      "     arrivals: {{poisson: {} /s}}, max_queue_delay: 0 ms}}\n"
      "  - {{model: resnet50, precision: fp16, batch: 8, runtime: cuda-graph, sync: spin,\n"
      "     arrivals: {{poisson: {} /s}}, max_queue_delay: 0 ms}}\nrun: {{duration: 2 s, seed: {}}}\n";
  for (int seed = 1; seed <= 8; ++seed) {
    const Result result = run_text(fmt::format(fmt::runtime(text), 3500, 1500, seed));
    EXPECT_EQ(result.processes[0].stable, true) << seed;
    EXPECT_EQ(result.processes[1].stable, true) << seed;
  }
}

// As much as it says that it could serve, it serves.
TEST(Stability, of_an_overloaded_process_comes_with_the_rate_that_it_could_serve) {
  for (const Server& server : servers()) {
    const Result over = run_with(server, "poisson: 20000 /s");
    const ProcessResult& process = over.processes[0];
    ASSERT_TRUE(process.stable_rate) << server.name;
    const double batch = static_cast<double>(process.batch);
    const auto again = [&](double share) {
      return run_with(server, form("poisson", share * *process.stable_rate / batch), 4).processes[0].stable;
    };
    EXPECT_EQ(again(0.95), true) << server.name;
    EXPECT_EQ(again(1.1), false) << server.name;
  }
}

TEST(Stability, of_a_full_link_comes_with_the_rate_that_the_link_could_carry) {
  // 10 kB at 8 Mbit/s: 100 requests/s, and 120 are made.
  const Result result = run_text(
      "device: nvidia-h200\nlink: {bandwidth: 8 Mbit/s, rtt: 10 ms, payload: 10 kB}\n"
      "processes: [{model: resnet18, precision: fp16, count: 3, arrivals: {poisson: 40 /s}}]\n"
      "run: {duration: 1 s, warmup: 200 ms}\n");
  for (const ProcessResult& process : result.processes)
    EXPECT_NEAR(process.stable_rate.value_or(0), 100.0 / 3, 1e-9);
}

// While a process is set up its requests wait, whatever the load.
TEST(Stability, is_not_known_before_the_set_up_is_done) {
  const std::string text =
      "device: jetson-nano\nprocesses: [{model: resnet50, precision: fp16, arrivals: {periodic: 5 /s}}]\n"
      "run: {setup: true, duration: 200 ms}\n";
  const ProcessResult process = run_text(text).processes[0];
  EXPECT_FALSE(process.setup_ms.has_value());
  EXPECT_FALSE(process.stable.has_value());
  EXPECT_EQ(process.offered, 5);
}

TEST(Stability, of_recorded_requests_is_whether_a_backlog_is_left) {
  const Server server = servers()[0];
  const double most = capacity(server);
  const auto stable = [&](double rho, double seconds) {
    Scenario scenario = scenario_of(server.board + "processes: [{" + server.process +
                                    "}]\nrun: {duration: 1 s, warmup: 200 ms}\n");
    process::Arrivals& arrivals = scenario.processes[0].arrivals;
    arrivals.kind = process::ArrivalKind::trace;
    for (int i = 0; i < rho * most * seconds; ++i)
      arrivals.times.push_back(sim::Time::zero() + sim::seconds(i / (rho * most)));
    return run(scenario, RunControl{}).value().processes[0].stable;
  };
  EXPECT_EQ(stable(0.97, 2), true);
  EXPECT_EQ(stable(1.03, 2), false);
  EXPECT_EQ(stable(3, 2), false);
  EXPECT_EQ(stable(3, 0.3), true);  // a burst that is worked off
}

TEST(Stability, of_a_queue_with_a_limit_is_given) {
  const Result result = run_with(servers()[0], "poisson: 20000 /s, queue: 3");
  EXPECT_EQ(result.processes[0].stable, true);
  EXPECT_GT(result.processes[0].drops, 0);
}

TEST(Stability, is_seen_where_not_one_request_is_done) {
  const Server slow{"slow", "device: jetson-nano\njetson_clocks: true\n",
                    "model: {kernels: 100, duration: 100 ms, blocks: 64, threads: 128}", 1};
  EXPECT_EQ(run_with(slow, "periodic: 10 /s").processes[0].stable, false);
  EXPECT_EQ(run_with(slow, "periodic: 0.05 /s, phase: 500 ms").processes[0].stable, true);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
