// How processes begin: beside loads that run already they gather on cores without any, and stay there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using testing::run_text;

// Eager processes on some of an H200's sixteen cores, with loads on the same.
std::string on_cores(int cores, int processes, int loads, const std::string& run = {}) {
  std::string text = fmt::format(
      "device: nvidia-h200\nhost_cores: {}\nprocesses:\n  - {{model: resnet50, precision: fp16, runtime: "
      "eager, "
      "sync: spin, count: {}}}\n",
      cores, processes);
  for (int i = 0; i < loads; ++i) text += "  - {load: busy}\n";
  return text + "run: {duration: 1 s, warmup: 0.2 s" + run + "}\n";
}

std::vector<double> waiting(const Result& result) {
  std::vector<double> shares;
  for (const ProcessResult& process : result.processes)
    shares.push_back((*process.time_share)[index_of(process::Share::waiting_for_core)]);
  return shares;
}

// Measured (evidence/h200-host/few_cores.csv): each process has a quarter of a core, each load a core.
TEST(Starts, of_processes_gather_them_on_the_core_that_loads_leave_free) {
  const Result result = run_text(on_cores(3, 4, 2));
  EXPECT_THAT(waiting(result), Each(AllOf(Gt(0.70), Lt(0.80))));
  for (const LoadResult& load : result.loads) EXPECT_GT(load.busy_cores.value(), 0.99);
}

TEST(Starts, at_one_instant_spread_processes_and_loads_over_the_cores) {
  const Result result = run_text(on_cores(3, 4, 2, ", start: together"));
  EXPECT_THAT(waiting(result), Each(Lt(0.70)));
  for (const LoadResult& load : result.loads) EXPECT_LT(load.busy_cores.value(), 0.6);
}

TEST(Starts, change_no_byte_where_each_thread_has_a_core_or_any_core_will_do) {
  const auto same = [](const std::string& text, const std::string& rest) {
    const auto metrics = [](Result result) {
      result.scenario_hash.clear();
      result.resolved = "{}";
      return to_json(result);
    };
    EXPECT_EQ(metrics(run_text(text + rest + "}\n")),
              metrics(run_text(text + rest + ", start: together}\n")));
  };
  const std::string run = "run: {duration: 0.3 s, warmup: 0.1 s";
  same(
      "device: nvidia-h200\nhost_cores: 4\nprocesses:\n  - {model: resnet50, precision: fp16, runtime: "
      "eager, count: 3}\n"
      "  - {load: busy}\n",
      run);
  same("device: jetson-orin-nano\nprocesses:\n  - {model: resnet50, precision: fp16, count: 8}\n", run);
}

TEST(Starts, that_are_luck_are_told_as_the_ways_in_which_processes_settle) {
  const auto told =
      Contains(AllOf(HasSubstr("settles in one of several ways"), HasSubstr("images/s a process")));
  EXPECT_THAT(run_text(on_cores(3, 8, 0, ", replications: 6")).warnings, told);
  EXPECT_THAT(run_text(on_cores(1, 4, 0, ", replications: 6")).warnings, Not(told));
  EXPECT_THAT(run_text(on_cores(4, 4, 0, ", replications: 6")).warnings, Not(told));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
