// Sources of requests that poll: they sleep a little at a time until the next request has come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::around;
using ::testing::HasSubstr;
using testing::load_text;
using testing::run_text;

std::string source(const std::string& wait) {
  return "  - {model: mobilenet_v2, precision: fp16, runtime: cuda-graph, arrivals: {periodic: 20 /s" + wait +
         "}}\n";
}
const std::string polls = ", wait: {poll: 100 us}";
const std::string eager = "  - {model: resnet50, precision: fp16, runtime: eager}\n";

Result on(int cores, const std::string& processes) {
  return run_text("device: nvidia-h200\nhost_cores: " + std::to_string(cores) + "\nprocesses:\n" + processes +
                  "run: {duration: 3 s, warmup: 0.5 s}\n");
}

TEST(Polling, sources_see_a_request_late_by_half_a_step_in_the_mean) {
  const double sleeps = on(2, source("")).processes[0].latency_ms.mean.value();
  const double late = on(2, source(polls)).processes[0].latency_ms.mean.value() - sleeps;
  // A step is 100 us, 50 us of timer slack, 6 us of work and a switch; a source that sleeps wakes 20 us late.
  EXPECT_NEAR(late, 0.158 / 2 + 0.008 - 0.020, 0.02);
}

TEST(Polling, sources_take_five_percent_of_a_core_while_they_wait) {
  const Result result = on(2, source(polls));
  const double computing = (*result.processes[0].time_share)[index_of(process::Share::cpu_compute)];
  EXPECT_NEAR(computing, 0.95 * 6.0 / 158, 0.006);
}

TEST(Polling, sources_cost_threads_on_their_core_more_than_the_time_that_they_take) {
  const double alone = on(1, eager).processes[0].throughput.mean.value();
  const double beside_sleeper = on(1, eager + source("")).processes[0].throughput.mean.value();
  const double beside_poller = on(1, eager + source(polls)).processes[0].throughput.mean.value();
  EXPECT_GT(beside_sleeper, 0.9 * alone);
  // 8 us of 158, and 40 us to the eager thread that returns.
  EXPECT_NEAR(beside_poller / beside_sleeper, 1 - 0.048 / 0.158, 0.08);
}

TEST(Polling, is_refused_where_the_source_is_no_loop_of_one_thread) {
  const std::string process =
      "model: resnet50, precision: fp16, arrivals: {poisson: 30 /s, wait: {poll: 100 us}}";
  EXPECT_TRUE(load_text(around(process)).scenario);
  EXPECT_THAT(load_text(around(process + ", streams: 2")).errors, HasSubstr("a source that polls"));
  EXPECT_THAT(load_text(around(process + ", max_queue_delay: 1 ms")).errors,
              HasSubstr("a source that polls"));
  EXPECT_THAT(
      load_text(around("model: resnet50, precision: fp16, arrivals: {poisson: 30 /s, wait: {pol: 100 us}}"))
          .errors,
      HasSubstr("poll"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
