// Queries of several requests that come at once, as MLPerf's MultiStream has them: what scenarios say of
// them, and laws of queues with bulk arrivals.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::around;
using testing::load_text;

// A request is 20 kernels of 100 us that fill the GPU.
Result run_bursts(const std::string& rest, int seconds = 20) {
  return testing::run_text(
      "device: nvidia-h200\nprocesses:\n  - {model: {kernels: 20, duration: 100 us, blocks: 4000, threads: "
      "1024}, runtime: cuda-graph, sync: spin, " +
      rest + "}\nrun: {duration: " + std::to_string(seconds) + " s, warmup: 1 s}\n");
}

const ProcessResult& first(const Result& result) {
  return result.processes.front();
}

// Milliseconds from one answer to the next while requests wait.
double service_ms() {
  const Result busy = run_bursts("arrivals: {clients: 1, burst: 100}", 5);
  return 1e3 / *first(busy).throughput.mean;
}

TEST(Bursts, are_answered_when_their_last_request_is) {
  const double one = service_ms();
  for (const int burst : {2, 8, 20}) {
    const Result result = run_bursts("arrivals: {periodic: 10 /s, burst: " + std::to_string(burst) + "}");
    EXPECT_NEAR(*first(result).latency_ms.mean / (burst * one), 1, 0.03) << burst;  // and a wake-up from idle
    EXPECT_NEAR(*first(result).offered, 10 * burst, 1e-9);
    EXPECT_NEAR(*first(result).throughput.mean / (10 * burst), 1, 0.01);
    EXPECT_NEAR(static_cast<double>(first(result).latency_ms.samples), 200, 1)
        << "a latency is one of a query";
    EXPECT_TRUE(first(result).stable.value());
  }
}

TEST(Bursts, of_one_request_are_plain_arrivals) {
  EXPECT_EQ(
      to_json(*load_text(around("model: resnet50, precision: fp16, arrivals: {poisson: 9 /s, burst: 1}"))
                   .scenario),
      to_json(*load_text(around("model: resnet50, precision: fp16, arrivals: {poisson: 9 /s}")).scenario));
}

// A query is a customer whose service is that of all its requests: Pollaczek and Khinchine's formula of
// M/D/1.
TEST(Bursts, at_random_wait_as_customers_of_an_m_d_1_queue_do) {
  const double query_ms = 8 * service_ms();
  for (const double load : {0.3, 0.6}) {
    const Result result =
        run_bursts("arrivals: {poisson: " + std::to_string(1e3 * load / query_ms) + " /s, burst: 8}", 300);
    const double wanted = query_ms * (1 + load / (2 * (1 - load)));
    EXPECT_NEAR(*first(result).latency_ms.mean / wanted, 1, 0.05) << load;
  }
}

TEST(Bursts, of_clients_obey_the_law_of_interactive_response_times) {
  for (const int clients : {1, 3}) {
    const Result result =
        run_bursts("arrivals: {clients: " + std::to_string(clients) + ", burst: 8, think: 30 ms}");
    const double queries_per_s = *first(result).throughput.mean / 8;
    EXPECT_NEAR(queries_per_s * (*first(result).latency_ms.mean + 30) / 1e3, clients, 0.02 * clients);
  }
}

TEST(Bursts, may_be_served_as_one_batch) {
  const std::string network =
      "device: jetson-agx-xavier\nprocesses:\n  - {model: resnet50, precision: int8, batch: 8, ";
  const Result apart =
      testing::run_text(network + "max_queue_delay: 0 ms, arrivals: {periodic: 20 /s, burst: 8}}\n");
  const Result together = testing::run_text(network + "arrivals: {periodic: 20 /s}}\n");
  EXPECT_NEAR(*first(apart).mean_batch, 8, 1e-9);
  EXPECT_NEAR(*first(apart).latency_ms.mean / *first(together).latency_ms.mean, 1, 0.02);
  EXPECT_NEAR(*first(apart).offered, *first(together).offered, 1e-9);
}

TEST(Bursts, are_spread_over_the_streams_of_a_process) {
  const auto served = [](int streams) {
    return testing::run_text(
        "device: nvidia-h200\nprocesses:\n  - {model: {kernels: 20, duration: 100 us, blocks: 8, threads: "
        "128}, "
        "runtime: cuda-graph, sync: spin, streams: " +
        std::to_string(streams) + ", arrivals: {periodic: 10 /s, burst: 8}}\nrun: {duration: 5 s}\n");
  };
  const Result one = served(1), four = served(4);
  EXPECT_NEAR(*first(one).latency_ms.mean / *first(four).latency_ms.mean, 4, 0.4);
  EXPECT_NEAR(static_cast<double>(first(four).latency_ms.samples), 50, 1);
  EXPECT_LT(*first(four).instances.front().latency_ms.mean, *first(four).latency_ms.mean)
      << "a stream tells the latencies of its own requests";
}

TEST(Bursts, beyond_what_can_be_served_are_overload) {
  const double one = service_ms();
  const Result result =
      run_bursts("arrivals: {periodic: 20 /s, burst: " + std::to_string(static_cast<int>(60 / one)) + "}");
  EXPECT_FALSE(first(result).stable.value());
  EXPECT_NEAR(*first(result).stable_rate * one / 1e3, 1, 0.05);
}

TEST(Bursts, come_over_a_link_one_after_the_other) {
  // An image takes 8 ms, far longer than its inference.
  const Result result = testing::run_text(
      "device: jetson-agx-xavier\nlink: {bandwidth: 8 Mbit/s, rtt: 0 ms, payload: 8 kB}\nprocesses:\n  - "
      "{model: "
      "resnet18, precision: int8, arrivals: {periodic: 5 /s, burst: 10}}\n");
  EXPECT_NEAR(*first(result).latency_ms.mean, 80, 4);
}

TEST(Bursts, come_back_from_their_echo_as_they_were) {
  const auto once =
      load_text(around("model: resnet50, precision: fp16, arrivals: {periodic: 20 /s, burst: 8}"));
  ASSERT_TRUE(once.scenario) << once.errors;
  const std::string echo = to_json(*once.scenario);
  EXPECT_NE(echo.find("\"burst\":8"), std::string::npos);
  EXPECT_EQ(to_json(*load_text(echo).scenario), echo);
}

TEST(Bursts, are_refused_with_what_to_do) {
  const auto refused = [](const std::string& rest, const std::string& why) {
    const auto loaded = load_text(around("model: resnet50, precision: fp16, " + rest));
    EXPECT_FALSE(loaded.scenario) << rest;
    EXPECT_NE(loaded.errors.find(why), std::string::npos) << loaded.errors;
  };
  refused("arrivals: {periodic: 20 /s, burst: 0}", "burst");
  refused("batch: 8, arrivals: {periodic: 20 /s, burst: 8, dynamic_batching: true}", "max_queue_delay: 0 ms");
  refused("arrivals: {periodic: 20 /s, burst: 8, queue: 4}", "no request of a burst can be dropped");
  refused("arrivals: {periodic: 20 /s, burst: 8}, queue: 4", "leave out queue, or burst");
  const auto instance = load_text(
      "device: nvidia-h200\nprocesses:\n  - runtime: cuda-graph\n    instances:\n      - {model: resnet50, "
      "precision: fp16, arrivals: {periodic: 20 /s, burst: 8}}\n");
  EXPECT_NE(instance.errors.find("processes.0.instances.0.arrivals.burst"), std::string::npos)
      << instance.errors;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
