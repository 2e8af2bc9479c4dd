// Requests over a link: the keys of a scenario, and what a run makes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "models/process/time_account.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::around;
using ::testing::HasSubstr;
using testing::load_text;
using testing::plain_process;
using testing::run_text;

const std::string cameras =
    "{device: jetson-orin-nano-super, run: {duration: 2 s, warmup: 500 ms},\n"
    " processes: [{model: mobilenet_v2, precision: fp16, count: 2, arrivals: {periodic: 30 /s}}]";

std::string without_link(Result result) {
  result.system.link.reset();
  result.scenario_hash.clear();
  result.resolved.clear();
  return to_json(result);
}

double share(const Result& result, std::size_t process, process::Share of) {
  return (*result.processes[process].time_share)[index_of(of)];
}

TEST(LinkLoader, fills_in_a_jpeg_without_energy_jitter_and_loss) {
  const auto loaded = load_text(around(plain_process, "link: {bandwidth: 8 Mbit/s, rtt: 20 ms}\n"));
  ASSERT_TRUE(loaded.scenario) << loaded.errors;
  const Link& link = loaded.scenario->link.value();
  EXPECT_EQ(link.bandwidth, 1e6);
  EXPECT_EQ(link.payload.bytes, 120e3);
  EXPECT_FALSE(link.payload.tensor);
  EXPECT_EQ(link.jitter, sim::Duration::zero());
  EXPECT_EQ(link.loss, 0);
  EXPECT_EQ(link.energy_per_bit_j, 0);
}

TEST(LinkLoader, takes_a_tensor_a_size_and_an_energy) {
  const auto with = [](const std::string& keys) {
    return load_text(around(plain_process, "link: {bandwidth: 8 Mbit/s, rtt: 0 ms, " + keys + "}\n"));
  };
  EXPECT_TRUE(with("payload: tensor").scenario->link->payload.tensor);
  EXPECT_EQ(with("payload: jpeg").scenario->link->payload.bytes, 120e3);
  EXPECT_EQ(with("payload: 300 kB").scenario->link->payload.bytes, 300e3);
  EXPECT_DOUBLE_EQ(with("energy_per_bit: 50 nJ/bit").scenario->link->energy_per_bit_j, 50e-9);
  EXPECT_THAT(with("payload: tensr").errors, HasSubstr("did you mean 'tensor'?"));
  EXPECT_THAT(with("payload: 300").errors, HasSubstr("link.payload"));
  EXPECT_THAT(with("jiter: 5 ms").errors, HasSubstr("did you mean 'jitter'?"));
}

TEST(LinkLoader, equal_kernels_have_no_tensor_to_send) {
  const auto loaded =
      load_text(around("model: {kernels: 10, duration: 5 us, blocks: 1, threads: 128}, runtime: cuda-graph",
                       "link: {bandwidth: 8 Mbit/s, rtt: 0 ms, payload: tensor}\n"));
  EXPECT_THAT(loaded.errors, HasSubstr("link.payload: a synthetic model has no input tensor"));
}

TEST(LinkLoader, echoes_what_it_read) {
  const auto first = load_text(around(
      plain_process,
      "link: {bandwidth: 8 Mbit/s, rtt: 3 ms, loss: 2 %, energy_per_bit: 5 nJ/bit, payload: tensor}\n"));
  const std::string echo = to_json(*first.scenario);
  const auto again = load_text(echo);
  ASSERT_TRUE(again.scenario) << again.errors;
  EXPECT_EQ(to_json(*again.scenario), echo);
}

// Equal to the last bit, in every figure of the result.
class ZeroCostLink : public ::testing::TestWithParam<const char*> {};

TEST_P(ZeroCostLink, changes_nothing) {
  const std::string scenario = GetParam();
  const std::string run = ", run: {duration: 1500 ms, warmup: 500 ms}";
  const Result without = run_text("{" + scenario + run + "}");
  const Result with =
      run_text("{" + scenario + run + ", link: {bandwidth: 1 Mbit/s, rtt: 0 ms, payload: 0 B}}");
  EXPECT_EQ(without_link(with), without_link(without));
  EXPECT_EQ(share(with, 0, process::Share::link), 0);
}

INSTANTIATE_TEST_SUITE_P(
    AllWaysToServe, ZeroCostLink,
    ::testing::Values(
        "device: jetson-orin-nano-super, processes: [{model: mobilenet_v2, precision: fp16, count: 3}]",
        "device: jetson-orin-nano-super, processes: [{model: mobilenet_v2, precision: fp16, count: 4, "
        "arrivals: "
        "{periodic: 30 /s, phase: 5 ms}}]",
        "device: jetson-orin-nano-super, processes: [{model: mobilenet_v2, precision: fp16, batch: 4, count: "
        "2, "
        "arrivals: {periodic: 30 /s, streams: 5, dynamic_batching: true}}]",
        "device: jetson-orin-nano-super, processes: [{model: resnet50, precision: int8, count: 2, arrivals: "
        "{poisson: 50 /s, queue: 2}}, {model: mobilenet_v2, precision: fp16}]",
        "device: nvidia-h200, processes: [{model: resnet50, precision: fp16, runtime: cuda-graph, count: 2}, "
        "{model: mobilenet_v2, precision: tf32, runtime: eager, count: 2, arrivals: {periodic: 100 /s}}]",
        "device: raspberry-pi-3b, processes: [{model: mobilenet_v2, precision: fp32, placement: cpu}]",
        "device: jetson-orin-nano-super, processes: [{model: mobilenet_v2, precision: fp32, placement: cpu, "
        "threads: "
        "2}, {model: resnet18, precision: fp16, arrivals: {periodic: 50 /s, phase: 0 ms, queue: 1}, count: "
        "2}]"));

TEST(LinkedRun, is_late_by_the_transfer_and_the_round_trip) {
  const Result at_once = run_text(cameras + "}");
  // 10 kB at 100 Mbit/s are 0.8 ms.
  const Result over = run_text(cameras + ", link: {bandwidth: 100 Mbit/s, rtt: 40 ms, payload: 10 kB}}");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(*over.processes[i].latency_ms.p50, *at_once.processes[i].latency_ms.p50 + 40.8, 0.3);
  EXPECT_NEAR(*over.system.throughput, 60, 1);
  ASSERT_TRUE(over.system.link);
  EXPECT_NEAR(*over.system.link->busy, 60 * 0.8e-3, 0.002);
  EXPECT_NEAR(*over.system.link->requests_per_s, 60, 1);
  EXPECT_EQ(*over.system.link->resends, 0);
}

TEST(LinkedRun, says_which_share_of_the_time_data_was_under_way) {
  const Result result = run_text(cameras + ", link: {bandwidth: 100 Mbit/s, rtt: 10 ms, payload: 10 kB}}");
  for (std::size_t i = 0; i < 2; ++i) {
    // 30 times a second 0.8 + 5 ms there and 5 ms back, some of it while a kernel ran.
    EXPECT_NEAR(share(result, i, process::Share::link), 30 * 10.8e-3, 0.05);
    const auto& shares = *result.processes[i].time_share;
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9);
  }
}

TEST(LinkedRun, cameras_share_the_bandwidth) {
  // 2 x 30 x 120 kB/s are 57.6 Mbit/s.
  const Result narrow = run_text(cameras + ", link: {bandwidth: 40 Mbit/s, rtt: 1 ms}}");
  EXPECT_NEAR(*narrow.system.throughput, 40e6 / 8 / 120e3, 1);
  EXPECT_NEAR(*narrow.system.link->busy, 1, 1e-6);
  EXPECT_GT(narrow.system.link->queued, 10);
  const Result wide = run_text(cameras + ", link: {bandwidth: 80 Mbit/s, rtt: 1 ms}}");
  EXPECT_NEAR(*wide.system.throughput, 60, 1);
}

TEST(LinkedRun, a_closed_loop_keeps_two_batches_between_client_and_board) {
  const std::string loop =
      "{device: jetson-orin-nano-super, run: {duration: 2 s, warmup: 500 ms}, processes: [{model: "
      "mobilenet_v2, "
      "precision: fp16}], link: {bandwidth: 1 Gbit/s, payload: 0 B, rtt: ";
  // Two under way in 100 ms and what the board takes.
  EXPECT_NEAR(*run_text(loop + "100 ms}}").system.throughput, 2 / 0.103, 1);
  EXPECT_GT(*run_text(loop + "1 ms}}").system.throughput, 200);
}

TEST(LinkedRun, a_tensor_is_as_large_as_the_network_reads) {
  const std::string one =
      "{device: jetson-orin-nano-super, run: {duration: 2 s, warmup: 500 ms}, processes: [{model: "
      "mobilenet_v2, "
      "precision: fp16, batch: 2, arrivals: {periodic: 10 /s}}], link: {bandwidth: 100 Mbit/s, rtt: 0 ms, "
      "energy_per_bit: 100 nJ/bit, payload: ";
  const double bits = 8.0 * 2 * 2 * 3 * 224 * 224;  // fp16, two images
  const Result tensor = run_text(one + "tensor}}");
  EXPECT_NEAR(*tensor.system.link->busy, 10 * bits / 100e6, 0.002);
  EXPECT_NEAR(*tensor.system.link->power_w, 10 * bits * 100e-9, 0.01);
  EXPECT_NEAR(*run_text(one + "50 kB}}").system.link->busy, 10 * 8 * 100e3 / 100e6, 0.002);
}

TEST(LinkedRun, parts_of_a_gathered_request_are_sent_when_they_are_made) {
  const std::string four =
      "{device: jetson-orin-nano-super, jetson_clocks: true, run: {duration: 2 s, warmup: 500 ms}, "
      "processes: [{model: "
      "mobilenet_v2, "
      "precision: fp16, batch: 4, arrivals: {periodic: 100 /s, phase: 1 ms, dynamic_batching: true}}]";
  const Result at_once = run_text(four + "}");
  // An image takes 8 ms, a batch at once would take 32; the first waits 30 ms for the fourth either way.
  const Result over = run_text(four + ", link: {bandwidth: 10 Mbit/s, rtt: 20 ms, payload: 10 kB}}");
  EXPECT_NEAR(*over.processes[0].latency_ms.p50, *at_once.processes[0].latency_ms.p50 + 8 + 20, 0.3);
  EXPECT_GT(*at_once.processes[0].latency_ms.p50, 30);
  EXPECT_NEAR(*over.system.throughput, 100, 2);
  EXPECT_NEAR(*over.system.link->busy, 0.8, 0.01);
}

TEST(LinkedRun, energy_is_of_what_is_sent_and_not_of_what_waits) {
  const Result narrow =
      run_text(cameras + ", link: {bandwidth: 40 Mbit/s, rtt: 1 ms, energy_per_bit: 100 nJ/bit}}");
  EXPECT_NEAR(*narrow.system.link->power_w, 40e6 * 100e-9, 0.01);
}

TEST(LinkedRun, lost_requests_are_late_by_the_time_out) {
  const Result result = run_text(
      "{device: jetson-orin-nano-super, run: {duration: 600 s}, processes: [{model: mobilenet_v2, precision: "
      "fp16, "
      "arrivals: {periodic: 2 /s}}], link: {bandwidth: 1 Gbit/s, rtt: 2 ms, loss: 10 %}}");
  EXPECT_NEAR(*result.system.link->resends, 0.1 / 0.9, 0.1);
  const Latency& latency = result.processes[0].latency_ms;
  EXPECT_GT(*latency.p99, *latency.p50 + 199);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
