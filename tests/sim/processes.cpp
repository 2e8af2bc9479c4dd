// Processes and tasks: what they wait for, how they end, how deep they go.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/engine.hpp"
#include "sim/resource.hpp"

namespace jostle::sim {
namespace {

Task<int> depth(Engine& engine, int levels) {
  if (levels == 0) {
    co_await engine.delay(Duration{5});
    co_return 0;
  }
  co_return 1 + co_await depth(engine, levels - 1);
}

Process measure_depth(Engine& engine, int levels, int& result) {
  result = co_await depth(engine, levels);
}

TEST(Processes, a_million_nested_tasks_do_not_overflow_the_stack) {
  Engine engine;
  int result = 0;
  engine.spawn(measure_depth(engine, 1'000'000, result), "deep");
  EXPECT_EQ(engine.run(Time::never()), RunEnd::drained);
  EXPECT_EQ(result, 1'000'000);
  EXPECT_EQ(engine.now(), Time{5});
}

TEST(Processes, an_engine_destroys_a_million_suspended_tasks_without_overflowing_the_stack) {
  int result = 0;
  {
    Engine engine;
    engine.spawn(measure_depth(engine, 1'000'000, result), "deep");
    EXPECT_EQ(engine.run(Time{1}), RunEnd::time_reached);
  }
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace jostle::sim
