// Operators and the host's time in traces of the PyTorch profiler.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/calibration/readers_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

std::string event(const char* category, const char* name, int thread, double ts, double dur) {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}}},)",
                     category, name, thread, ts, dur);
}

// Batches of a convolution with two launches inside of another operator, a view, and a norm with a launch and
// a memset; the first is slow. `call`: how long a launch takes. Another thread loads data meanwhile.
std::string batches(int count, double call, const char* launch = "cudaLaunchKernel") {
  std::string events;
  for (int i = 0; i < count; ++i) {
    const double at = 10'000 * (i + 1), slow = i == 0 ? 500 : 10 * i;
    events +=
        event("cpu_op", "aten::conv2d", 7, at, 100) + event("cpu_op", "aten::convolution", 7, at + 5, 80) +
        event("cuda_runtime", launch, 7, at + 20, call) + event("cuda_runtime", launch, 7, at + 50, call) +
        event("cpu_op", "aten::view", 7, at + 110, 5) +
        event("cpu_op", "aten::norm", 7, at + 120, 80 + slow) +
        event("cuda_driver", "cuLaunchKernel", 7, at + 130, call) +
        event("cuda_runtime", "cudaMemsetAsync", 7, at + 160, call) +
        event("cpu_op", "aten::load", 9, at + 30, 20 + i) + event("kernel", "conv", 0, at + 200, 30) +
        event("kernel", "norm", 0, at + 300, 40);
  }
  events.pop_back();
  return R"({"deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": [)" + events + "]}";
}

TEST(TracedOperators, of_a_batch_are_counted_by_what_they_launch) {
  const Imported found = import_text(batches(5, 11));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("launching_operators"), 2);
  EXPECT_EQ(found.value("view_operators"), 1);
  EXPECT_EQ(found.row("launching_operators").count, 4);
  // The shortest warm batch takes 210 us, on a host whose launches take twice 5.5 us.
  EXPECT_NEAR(found.value("host_time"), 0.52 * 210 * 5.5 / 11, 1e-9);
  EXPECT_THAT(found.notes(), HasSubstr("2 that launch, 1 that launch nothing, 2 further launches"));
}

TEST(TracedOperators, do_not_tell_the_speed_of_another_kind_of_host) {
  EXPECT_NEAR(import_text(batches(5, 25)).value("host_time"), 0.52 * 210, 1e-9);
}

TEST(TracedOperators, are_not_counted_in_replays_of_a_graph_or_where_nothing_repeats) {
  EXPECT_FALSE(import_text(batches(5, 11, "cudaGraphLaunch")).has("launching_operators"));
  const Imported once = import_text(batches(1, 11));
  EXPECT_FALSE(once.has("launching_operators"));
  EXPECT_THAT(once.notes(), HasSubstr("not used as launch cost"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
