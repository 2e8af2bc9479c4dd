// Pieces of work side by side: each once, what they hand over is there, and one that throws ends it.
#include "scenarios/run/parallel.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "input/interruption.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/shared_work.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

RC_GTEST_PROP(Parallel, every_piece_is_done_once_and_seen_afterwards, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 200);
  const auto threads = *rc::gen::inRange(0U, 5U);
  // On the heap, begun by this thread and ended by it: what ThreadSanitizer would tell of a hand-over.
  std::vector<std::unique_ptr<std::size_t>> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::make_unique<std::size_t>(i));
  parallel_for(
      count, [&](std::size_t i) { values[i] = std::make_unique<std::size_t>(*values[i] + 1); }, threads);
  for (std::size_t i = 0; i < count; ++i) RC_ASSERT(*values[i] == i + 1);
}

TEST(Parallel, pieces_end_with_the_call_that_they_are_of_and_with_no_other) {
  const std::atomic<bool> stopped{true}, goes_on{false};
  std::atomic<int> ended = 0;
  const auto pieces_of = [&ended](const std::atomic<bool>& call) {
    const input::InterruptedBy mine(call);
    parallel_for(
        64, [&ended](std::size_t) { ended += input::interruption() ? 1 : 0; }, 4);
  };
  std::thread other([&] { pieces_of(goes_on); });
  pieces_of(stopped);
  other.join();
  EXPECT_EQ(ended, 64);  // those of the one, and none of the other
  EXPECT_FALSE(input::interruption());
}

TEST(Parallel, rethrows_what_a_piece_threw) {
  std::atomic<int> begun = 0;
  const auto work = [&](std::size_t i) {
    ++begun;
    if (i == 20) throw std::runtime_error("the twenty-first");
  };
  EXPECT_THROW(parallel_for(1000, work, 2), std::runtime_error);
  EXPECT_GE(begun, 1);
  EXPECT_LE(begun, 1000);
}

TEST(Parallel, one_thread_is_the_caller) {
  std::size_t sum = 0;  // not atomic: no other may touch it
  parallel_for(
      100, [&](std::size_t i) { sum += i; }, 1);
  EXPECT_EQ(sum, 4950U);
}

TEST(Parallel, runs_that_share_their_work_give_what_each_gives_alone) {
  const profiles::Profile profile = testing::changed_profile("jetson-orin-nano", {});
  std::vector<Scenario> runs;
  for (const char* const batch : {"1", "2"})
    for (const char* const count : {"1", "2", "3"})
      runs.push_back(testing::scenario_of(
          std::string("device: jetson-orin-nano\nrun: {duration: 50 ms, warmup: 0 s}\n") +
              "processes: [{model: yolov8n, precision: fp16, batch: " + batch + ", count: " + count + "}]",
          &profile));
  SharedWork shared;
  RunControl control;
  control.shared = &shared;
  std::vector<std::string> results(4 * runs.size());
  parallel_for(
      results.size(),
      [&](std::size_t i) { results[i] = to_json(run(runs[i % runs.size()], profile, control).value()); }, 4);
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], to_json(run(runs[i % runs.size()], profile, RunControl{}).value()));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
