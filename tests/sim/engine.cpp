// The loop: order, waking, ends of a run, and what the watchdog says.
#include "sim/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/resource.hpp"

namespace jostle::sim {
namespace JOSTLE_FILE {

using testing::ElementsAre;

struct Note {
  std::vector<std::string>* log;
  std::string text;
  void write() { log->push_back(text); }
};

TEST(Engine, equal_times_go_by_priority_then_by_order_of_scheduling) {
  Engine engine;
  std::vector<std::string> log;
  Note a{&log, "a"}, b{&log, "b"}, late{&log, "late"}, first{&log, "first"}, before{&log, "before"};
  engine.schedule(Time{10}, action<&Note::write>(late), Priority::late);
  engine.schedule(Time{10}, action<&Note::write>(a));
  engine.schedule(Time{10}, action<&Note::write>(b));
  engine.schedule(Time{10}, action<&Note::write>(first), Priority::first);
  engine.schedule(Time{9}, action<&Note::write>(before), Priority::last);
  EXPECT_EQ(engine.run(Time{10}), RunEnd::drained);
  EXPECT_THAT(log, ElementsAre("before", "first", "a", "b", "late"));
}

TEST(Engine, a_rescheduled_event_goes_behind_those_of_its_new_time) {
  Engine engine;
  std::vector<std::string> log;
  Note moved{&log, "moved"}, other{&log, "other"};
  EventId id = engine.schedule(Time{1}, action<&Note::write>(moved));
  engine.schedule(Time{5}, action<&Note::write>(other));
  engine.reschedule(id, Time{5});
  EXPECT_TRUE(engine.pending(id));
  (void)engine.run(Time{5});
  EXPECT_THAT(log, ElementsAre("other", "moved"));
  EXPECT_FALSE(engine.pending(id));
  EXPECT_THROW(engine.reschedule(id, Time{9}), std::invalid_argument);
}

TEST(Engine, the_past_cannot_be_scheduled) {
  Engine engine;
  std::vector<std::string> log;
  Note note{&log, "x"};
  (void)engine.run(Time{10});
  EXPECT_THROW(engine.schedule(Time{9}, action<&Note::write>(note)), std::invalid_argument);
  EXPECT_NO_THROW(engine.schedule(Time{10}, action<&Note::write>(note)));
}

TEST(Engine, a_run_includes_the_events_of_its_last_instant_and_can_go_on) {
  Engine engine;
  std::vector<std::string> log;
  Note a{&log, "a"}, b{&log, "b"};
  engine.schedule(Time{10}, action<&Note::write>(a));
  engine.schedule(Time{11}, action<&Note::write>(b));
  EXPECT_EQ(engine.run(Time{10}), RunEnd::time_reached);
  EXPECT_THAT(log, ElementsAre("a"));
  EXPECT_EQ(engine.run(Time::never()), RunEnd::drained);
  EXPECT_THAT(log, ElementsAre("a", "b"));
  EXPECT_EQ(engine.now(), Time{11});
}

struct Stopper {
  Engine* engine;
  int count = 0;
  void fire() {
    engine->schedule(engine->now() + Duration{1}, action<&Stopper::fire>(*this));
    if (++count == 5) engine->stop();
  }
};

TEST(Engine, stop_ends_the_run_after_the_current_handler_and_loses_nothing) {
  Engine engine;
  Stopper stopper{&engine};
  engine.schedule(Time{1}, action<&Stopper::fire>(stopper));
  EXPECT_EQ(engine.run(Time{100}), RunEnd::stopped);
  EXPECT_EQ(engine.now(), Time{5});
  EXPECT_EQ(engine.run(Time{100}), RunEnd::time_reached);
  EXPECT_EQ(stopper.count, 100);
}

Process ticking(Engine& engine, Duration period) {
  for (;;) co_await engine.delay(period);
}

TEST(Engine, a_raised_flag_interrupts_the_run) {
  Engine engine;
  const std::atomic<bool> flag{true};
  engine.set_interrupt(&flag);
  engine.spawn(ticking(engine, Duration{1}), "ticker");
  EXPECT_EQ(engine.run(Time::never()), RunEnd::interrupted);
}

Process holder(Resource& resource, Condition& condition) {
  const auto lease = co_await resource.acquire();
  co_await condition.wait();
}

TEST(Watchdog, names_who_waits_on_whom_when_nothing_is_left_to_happen) {
  Engine engine;
  Resource core(engine, "core 0", 1);
  Condition batch(engine, "end of batch 7");
  engine.spawn(holder(core, batch), "camera");
  engine.spawn(holder(core, batch), "detector");
  ASSERT_EQ(engine.run(Time{1000}), RunEnd::stuck);
  const StuckReport& report = engine.stuck_report().value();
  ASSERT_EQ(report.processes.size(), 2U);
  EXPECT_EQ(report.processes[0].process, "camera");
  EXPECT_EQ(report.processes[0].waits_for, "end of batch 7");
  EXPECT_EQ(report.processes[1].process, "detector");
  EXPECT_EQ(report.processes[1].waits_for, "core 0");
  EXPECT_EQ(report.processes[1].held_by, "camera");
  EXPECT_THAT(report.text(), testing::HasSubstr("detector waits for core 0, held by camera"));
}

Process wait_for(Condition& condition) {
  co_await condition.wait();
}

TEST(Watchdog, daemons_may_wait_for_ever) {
  Engine engine;
  Condition work(engine, "work");
  engine.spawn(wait_for(work), "server", Role::daemon);
  EXPECT_EQ(engine.run(Time{1000}), RunEnd::drained);
  EXPECT_EQ(engine.now(), Time{1000});
}

TEST(Watchdog, a_loop_that_does_not_advance_time_is_stuck) {
  Engine engine;
  engine.set_watchdog({.events_at_one_time = 1000});
  engine.spawn(ticking(engine, Duration::zero()), "spinner");
  EXPECT_EQ(engine.run(Time{1}), RunEnd::stuck);
  EXPECT_EQ(engine.now(), Time::zero());
  EXPECT_THAT(engine.stuck_report()->text(), testing::HasSubstr("spinner"));
}

Process working(Engine& engine, int batches) {
  for (int i = 0; i < batches; ++i) {
    co_await engine.delay(Duration{10});
    engine.progress();
  }
}

TEST(Watchdog, ticks_without_progress_are_stuck_after_the_time_allowed) {
  Engine engine;
  engine.set_watchdog({.without_progress = Duration{100}});
  Condition never(engine, "a batch that does not come");
  engine.spawn(ticking(engine, Duration{1}), "tick");
  engine.spawn(working(engine, 5), "worker");
  engine.spawn(wait_for(never), "victim");
  EXPECT_EQ(engine.run(Time{1000}), RunEnd::stuck);
  EXPECT_EQ(engine.now(), Time{150});
  EXPECT_THAT(engine.stuck_report()->text(),
              testing::HasSubstr("victim waits for a batch that does not come"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
