// Pairs of random scenarios: a change that gives nobody more, and who is served more. A pair whose gain a
// mechanism explains tests nothing of the law; each mechanism is one that a scenario below shows.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/scenarios/invariants/gains.hpp"
#include "tests/scenarios/invariants/random_runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Changed : public ::testing::TestWithParam<int> {};

TEST_P(Changed, random_scenarios_serve_nobody_more) {
  const std::size_t kind = static_cast<std::size_t>(GetParam()) % changes().size();
  const Change& change = changes()[kind];
  for (int i = 0; i < pairs_in_part(); ++i) {
    const auto number = 1'000'000 * static_cast<std::uint64_t>(GetParam()) + static_cast<std::uint64_t>(i);
    const auto wrong = [&](const Draft& draft) -> std::vector<std::string> {
      const auto pair = change.of(draft, number);
      return pair ? unexplained(*pair) : std::vector<std::string>();
    };
    const Draft drawn = draft(number);
    if (wrong(drawn).empty()) continue;
    const Draft least = smallest(drawn, [&](const Draft& some) { return !wrong(some).empty(); });
    const Pair pair = change.of(least, number).value();
    ADD_FAILURE() << "scenario " << number << ", " << change.name << "\nsmallest:\n"
                  << pair.before.text() << "changed to\n"
                  << pair.after.text() << ::testing::PrintToString(wrong(least));
  }
}

INSTANTIATE_TEST_SUITE_P(, Changed, ::testing::Range(0, pair_parts));

// The entries stand in the pair as they are written here.
Draft drafted(const Words& board, const std::vector<Words>& entries, const char* run) {
  Draft draft{board, {}, {run}};
  for (const Words& keys : entries) draft.processes.push_back({keys, {}});
  return draft;
}

// One process, and another beside it.
struct Two {
  Simulated before = simulated(drafted({"device: jetson-orin-nano", "jetson_clocks: true"},
                                       {{"model: resnet50", "precision: fp16"}}, run)
                                   .text())
                         .value();
  Simulated after =
      simulated(drafted({"device: jetson-orin-nano", "jetson_clocks: true"},
                        {{"model: resnet50", "precision: fp16"}, {"model: resnet18", "precision: fp16"}}, run)
                    .text())
          .value();
  static constexpr const char* run = "duration: 400 ms, warmup: 100 ms";

  [[nodiscard]] std::vector<std::string> found() const {
    return unexplained(Pair{}, {before.run(), after.run()});
  }
  ProcessResult& first() { return after.result.processes[0]; }
};

TEST(Gain, is_found_where_a_figure_is_changed) {
  Two two;
  EXPECT_THAT(two.found(), IsEmpty());
  two.first().throughput.mean = 1.2 * *two.before.result.processes[0].throughput.mean;
  EXPECT_THAT(two.found(), SizeIs(1));
}

TEST(Gain, of_those_who_have_less_is_found_and_of_others_their_loss) {
  Two two;
  two.before.result.processes.push_back(two.after.result.processes[1]);
  two.before.scenario.processes.push_back(two.after.scenario.processes[1]);
  for (ProcessResult& process : two.after.result.processes) process.throughput.mean = 100;
  for (ProcessResult& process : two.before.result.processes) process.throughput.mean = 100;
  const auto found = [&](double first, double second) {
    two.after.result.processes[0].throughput.mean = first;
    two.after.result.processes[1].throughput.mean = second;
    return unexplained(Pair{.before = {}, .after = {}, .less = 0}, {two.before.run(), two.after.run()})
        .size();
  };
  EXPECT_EQ(found(50, 200), 0U);
  EXPECT_EQ(found(150, 100), 1U);
  EXPECT_EQ(found(100, 50), 1U);
}

// Each mechanism explains the gain of process 0 of a pair of scenarios, and without it the gain is found.
struct Shown {
  std::string mechanism;
  Draft before, after;
};

std::vector<Shown> shown() {
  const char* const run = "duration: 1 s, warmup: 200 ms";
  const Words graph{"model: resnet50", "precision: fp16", "runtime: cuda-graph", "sync: spin"};
  const Words idle{"model: resnet18", "precision: fp16", "arrivals: {periodic: 1 /s, phase: 2 s}"};
  const Words host{"model: {kernels: 60, duration: 5 us, blocks: 16, threads: 128}", "runtime: eager",
                   "sync: auto", "cpus: [0]"};
  const Words spinning{"model: resnet50", "precision: fp16", "runtime: cuda-graph", "sync: auto",
                       "cpus: [0]"};
  return {{"gaps between its kernels are hidden", drafted({"device: nvidia-h200"}, {graph}, run),
           drafted({"device: nvidia-h200"}, {graph, idle}, run)},
          {"hosts yield that did spin",
           drafted({"device: jetson-orin-nano", "jetson_clocks: true"}, {spinning, host}, run),
           drafted({"device: jetson-orin-nano", "jetson_clocks: true"},
                   {spinning, host, idle, idle, idle, idle, idle}, run)}};
}

TEST(Gain, by_a_mechanism_is_shown) {
  for (const Shown& pair : shown()) {
    const Simulated before = simulated(pair.before.text()).value(),
                    after = simulated(pair.after.text()).value();
    EXPECT_GT(*after.result.processes[0].throughput.mean, 1.05 * *before.result.processes[0].throughput.mean)
        << pair.mechanism;
    std::vector<std::string> seen;
    for (const Mechanism& by : mechanisms())
      if (by.seen({before.run(), after.run()}, 0)) seen.emplace_back(by.name);
    EXPECT_THAT(seen, ElementsAre(pair.mechanism));
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
