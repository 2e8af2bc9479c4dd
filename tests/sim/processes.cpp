// Processes and tasks: what they wait for, how they end, how deep they go.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/engine.hpp"
#include "sim/resource.hpp"

namespace jostle::sim {
namespace JOSTLE_FILE {

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

Process append(Engine& engine, std::vector<int>& log, int number) {
  log.push_back(number);
  co_await engine.delay(Duration::zero());
  log.push_back(number + 10);
}

TEST(Processes, start_in_the_order_spawned_and_wake_in_the_order_they_slept) {
  Engine engine;
  std::vector<int> log;
  for (int i = 0; i < 3; ++i) engine.spawn(append(engine, log, i), "p");
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(engine.run(Time::never()), RunEnd::drained);
  EXPECT_EQ(log, (std::vector<int>{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(engine.processes(), 0U);
}

Task<int> fails(Engine& engine) {
  co_await engine.delay(Duration{1});
  throw std::runtime_error("in a task");
}

Process catches(Engine& engine, std::string& caught) {
  try {
    (void)co_await fails(engine);
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
}

Process does_not_catch(Engine& engine) {
  (void)co_await fails(engine);
}

TEST(Processes, what_a_task_throws_reaches_its_parent) {
  Engine engine;
  std::string caught;
  engine.spawn(catches(engine, caught), "p");
  EXPECT_EQ(engine.run(Time::never()), RunEnd::drained);
  EXPECT_EQ(caught, "in a task");
}

TEST(Processes, what_a_process_throws_comes_out_of_run) {
  Engine engine;
  engine.spawn(does_not_catch(engine), "p");
  EXPECT_THROW((void)engine.run(Time::never()), std::runtime_error);
  EXPECT_EQ(engine.processes(), 0U);
}

struct Counted {
  int* alive;
  explicit Counted(int& count) : alive(&count) { ++*alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive; }
};

Task<> hold(Condition& condition, Resource& resource, int& alive) {
  const Counted counted{alive};
  const auto lease = co_await resource.acquire();
  co_await condition.wait();
}

Process hold_in_task(Condition& condition, Resource& resource, int& alive) {
  const Counted counted{alive};
  co_await hold(condition, resource, alive);
}

TEST(Processes, an_engine_destroys_the_locals_of_suspended_processes) {
  int alive = 0;
  {
    Engine engine;
    // Gone before the engine, though one process holds the resource and another waits for it.
    Resource resource(engine, "r", 1);
    Condition condition(engine, "c");
    engine.spawn(hold_in_task(condition, resource, alive), "holds");
    engine.spawn(hold_in_task(condition, resource, alive), "waits");
    (void)engine.run(Time{5});
    EXPECT_EQ(alive, 4);
  }
  EXPECT_EQ(alive, 0);
}

Process use(Engine& engine, Resource& resource, Duration time, std::vector<Time>& ends) {
  const auto lease = co_await resource.acquire();
  co_await engine.delay(time);
  ends.push_back(engine.now());
}

TEST(Resources, serve_in_order_of_arrival_up_to_their_capacity) {
  Engine engine;
  Resource two(engine, "two", 2);
  std::vector<Time> ends;
  for (int i = 0; i < 5; ++i) engine.spawn(use(engine, two, Duration{10 + i}, ends), "p");
  EXPECT_EQ(engine.run(Time::never()), RunEnd::drained);
  // Two at a time: 0 and 1 from the start, 2 from 10, 3 from 11, 4 from 22.
  EXPECT_EQ(ends, (std::vector<Time>{Time{10}, Time{11}, Time{22}, Time{24}, Time{36}}));
  EXPECT_EQ(two.in_use(), 0U);
}

Process wait_then_log(Condition& condition, std::vector<int>& log, int number) {
  co_await condition.wait();
  log.push_back(number);
}

struct Notifier {
  Condition* condition;
  void one() { condition->notify_one(); }
  void all() { condition->notify_all(); }
};

TEST(Conditions, wake_the_longest_waiting_or_all_in_order) {
  Engine engine;
  Condition condition(engine, "c");
  Notifier notifier{&condition};
  std::vector<int> log;
  for (int i = 0; i < 4; ++i) engine.spawn(wait_then_log(condition, log, i), "p");
  engine.schedule(Time{1}, action<&Notifier::one>(notifier));
  (void)engine.run(Time{1});
  EXPECT_EQ(log, (std::vector<int>{0}));
  EXPECT_EQ(condition.waiting(), 3U);
  engine.schedule(Time{2}, action<&Notifier::all>(notifier));
  EXPECT_EQ(engine.run(Time{2}), RunEnd::drained);
  EXPECT_EQ(log, (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
