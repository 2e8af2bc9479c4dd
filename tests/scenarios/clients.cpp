// Clients that ask, wait for the answer, think and ask again: what scenarios say of them, and laws of closed
// queueing networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::around;
using testing::load_text;

// A process whose service takes one core's time on the host: `mean` milliseconds, of the coefficient of
// variation `variation`, and next to nothing on the GPU.
Result host_bound(const std::string& requests, double mean_ms, int variation_pct, int seconds = 2000) {
  return testing::run_text(
      "device: nvidia-h200\nfigures:\n  runtimes.cuda-graph.per_launch: 0 us\n  "
      "runtimes.cuda-graph.per_batch: " +
      std::to_string(static_cast<int>(1e3 * mean_ms)) +
      " us\n  runtimes.cuda-graph.variation: " + std::to_string(variation_pct) +
      " %\nprocesses:\n  - {model: {kernels: 1, duration: 1 us, blocks: 1, threads: 32}, runtime: "
      "cuda-graph, "
      "sync: spin, " +
      requests + "}\nrun: {duration: " + std::to_string(seconds) + " s, warmup: 1 s}\n");
}

// A process that lasts on the GPU, one batch at a time: 20 kernels of 1 ms that fill it, so that wake-ups of
// the host are next to nothing.
const std::string gpu_bound =
    "model: {kernels: 20, duration: 1 ms, blocks: 4000, threads: 1024}, runtime: cuda-graph, sync: spin";

Result run_gpu(const std::string& rest, int seconds = 100) {
  return testing::run_text("device: nvidia-h200\nprocesses:\n  - {" + gpu_bound + ", " + rest +
                           "}\nrun: {duration: " + std::to_string(seconds) + " s, warmup: 1 s}\n");
}

double throughput(const Result& result) {
  return *result.processes.front().throughput.mean;
}
double latency_ms(const Result& result) {
  return *result.processes.front().latency_ms.mean;
}

// Exact mean value analysis of `clients` customers, one queue of exponential service and a delay (Reiser and
// Lavenberg, 1980): requests per second, from milliseconds.
double mean_value_analysis(int clients, double service_ms, double think_ms) {
  double waiting = 0, rate = 0;
  for (int n = 1; n <= clients; ++n) {
    const double response = service_ms * (1 + waiting);
    rate = n / (response + think_ms);
    waiting = rate * response;
  }
  return 1e3 * rate;
}

TEST(Clients, of_a_server_as_variable_as_an_exponential_one_follow_exact_mean_value_analysis) {
  for (const int clients : {1, 2, 4, 8}) {
    const auto result = host_bound(
        "arrivals: {clients: " + std::to_string(clients) + ", think: {exponential: 80 ms}}", 20, 100);
    const double wanted = mean_value_analysis(clients, 20, 80);
    EXPECT_NEAR(throughput(result) / wanted, 1, 0.01) << clients;
  }
}

TEST(Clients, of_a_constant_server_reach_the_asymptotes_of_a_closed_network) {
  const double alone_ms = latency_ms(run_gpu("arrivals: {clients: 1, think: 100 ms}"));
  for (const int clients : {1, 2, 3, 4, 6, 8, 12}) {
    const auto result = run_gpu("arrivals: {clients: " + std::to_string(clients) + ", think: 100 ms}");
    const double wanted = 1e3 * std::min(clients / (100 + alone_ms), 1 / alone_ms);
    EXPECT_NEAR(throughput(result) / wanted, 1, 0.01) << clients;
    // The law of interactive response times.
    EXPECT_NEAR(latency_ms(result) / (1e3 * clients / throughput(result) - 100), 1, 0.01) << clients;
  }
}

TEST(Clients, who_do_not_think_are_always_in_the_process) {
  const auto result = run_gpu("streams: 2, arrivals: {clients: 5}");
  EXPECT_NEAR(throughput(result) * latency_ms(result) / 1e3, 5, 0.05);
}

TEST(Clients, who_all_think_through_the_window_are_not_served) {
  const Result result = run_gpu("arrivals: {clients: 4, think: 100 s}", 4);
  EXPECT_EQ(result.processes.front().throughput.mean, 0.0);
}

TEST(Clients, cannot_overload_a_process) {
  const auto result = run_gpu("arrivals: {clients: 100}");
  EXPECT_FALSE(result.processes.front().offered);
  EXPECT_FALSE(result.processes.front().stable);
  EXPECT_EQ(result.processes.front().drops, 0);
}

TEST(Clients, more_of_them_or_more_instances_never_serve_less) {
  // Kernels of few blocks, so that instances help until the clients run out.
  const auto with = [](int instances, int clients) {
    return throughput(
        testing::run_text("device: nvidia-h200\nprocesses:\n  - {model: {kernels: 20, duration: 100 us, "
                          "blocks: 8, threads: 128}, "
                          "runtime: onnxruntime, sync: spin, streams: " +
                          std::to_string(instances) + ", arrivals: {clients: " + std::to_string(clients) +
                          "}}\nrun: {duration: 2 s, warmup: 200 ms}\n"));
  };
  const double one = with(1, 1);
  for (const int instances : {1, 2, 3})
    for (const int clients : {1, 2, 3, 4})
      EXPECT_NEAR(with(instances, clients) / one / std::min(instances, clients), 1, 0.1)
          << instances << " instances, " << clients << " clients";
}

TEST(Clients, fill_batches_that_wait_for_them) {
  const auto served = [](const std::string& delay) {
    return testing::run_text(
        "device: nvidia-h200\nprocesses:\n  - {model: resnet50, precision: fp16, batch: 8, runtime: "
        "cuda-graph, "
        "sync: spin, max_queue_delay: " +
        delay + ", arrivals: {clients: 8}}\nrun: {duration: 2 s, warmup: 200 ms}\n");
  };
  EXPECT_NEAR(*served("50 ms").processes.front().mean_batch, 8, 1e-9);
  EXPECT_NEAR(*served("0 ms").processes.front().mean_batch, 8, 1);
}

TEST(Clients, are_served_on_cores_and_between_stages_too) {
  for (const char* const process :
       {"model: mobilenet_v2, precision: fp32, placement: cpu",
        "model: mobilenet_v2, precision: fp16, stages: {before: [{name: decode, time: 2 ms}]}"}) {
    const auto result =
        testing::run_text("device: jetson-orin-nano\nprocesses:\n  - {" + std::string(process) +
                          ", arrivals: {clients: 3, think: 1 ms}}\nrun: {duration: 2 s}\n");
    const double clients = throughput(result) * (latency_ms(result) + 1) / 1e3;
    EXPECT_NEAR(clients, 3, 0.05) << process;
  }
}

TEST(Clients, come_back_from_their_echo_as_they_were) {
  for (const char* const requests :
       {"arrivals: {clients: 4}", "arrivals: {clients: 4, think: {exponential: 10 ms}}",
        "arrivals: {clients: 4, think: 10 ms}, max_queue_delay: 1 ms, server: {per_batch: 70 us, "
        "per_request: 8 us}"}) {
    const auto first = load_text(around("model: resnet50, precision: fp16, " + std::string(requests)));
    ASSERT_TRUE(first.scenario) << first.errors;
    const std::string echo = to_json(*first.scenario);
    const auto second = load_text(echo);
    ASSERT_TRUE(second.scenario) << second.errors;
    EXPECT_EQ(echo, to_json(*second.scenario));
  }
}

TEST(Clients, are_refused_with_what_to_do) {
  const auto refused = [](const std::string& rest, const std::string& why, const std::string& more = {}) {
    const auto loaded = load_text(around("model: resnet50, precision: fp16, " + rest, more));
    EXPECT_FALSE(loaded.scenario) << rest;
    EXPECT_NE(loaded.errors.find(why), std::string::npos) << loaded.errors;
  };
  refused("arrivals: {clients: 4, poisson: 3 /s}", "exactly one of periodic, poisson, trace and clients");
  refused("arrivals: {poisson: 3 /s, think: 1 ms}", "`think` needs `clients` (clients: 4)");
  refused("arrivals: {clients: 4, dynamic_batching: true}, batch: 8", "may never fill a batch");
  refused("arrivals: {clients: 4, queue: 3}", "no request of a client can be dropped");
  refused("arrivals: {clients: 4}", "`clients` does not work with `link`",
          "link: {bandwidth: 50 Mbit/s, rtt: 20 ms}\n");
  refused("arrivals: {poisson: 3 /s}, server: {per_batch: 1 us}", "add max_queue_delay: 1 ms");
}

TEST(BatchingServers, take_the_time_of_their_loop_for_each_batch_and_each_request) {
  const auto with = [](const std::string& server) {
    return testing::run_text(
        "device: nvidia-h100\nprocesses:\n  - {model: resnet50, precision: fp16, batch: 4, runtime: "
        "cuda-graph, "
        "sync: spin, max_queue_delay: 50 ms, arrivals: {clients: 4}, server: {" +
        server + "}}\nrun: {duration: 2 s, warmup: 200 ms}\n");
  };
  const double none = latency_ms(with("per_batch: 0 us"));
  EXPECT_NEAR(latency_ms(with("per_batch: 500 us")) - none, 0.5, 0.02);
  EXPECT_NEAR(latency_ms(with("per_batch: 100 us, per_request: 200 us")) - none, 0.9, 0.02);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
