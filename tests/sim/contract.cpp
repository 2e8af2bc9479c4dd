// A contract that does not hold is reported, wherever in a run it is.
#include "sim/contract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/engine.hpp"

namespace jostle::sim {
namespace JOSTLE_FILE {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct Handler {
  bool holds = false;
  void act() const { contract(holds, "the handler is sound"); }
};

TEST(Contract, is_silent_while_it_holds) {
  EXPECT_NO_THROW(contract(true, "one is one"));
}

TEST(Contract, that_does_not_hold_is_reported_with_file_line_and_sentence) {
  const int line = __LINE__ + 2;
  try {
    contract(1 > 2, "one exceeds two");
    FAIL();
  } catch (const BrokenContract& broken) {
    const std::string text = broken.what();
    EXPECT_THAT(text, StartsWith("tests/sim/contract.cpp:" + std::to_string(line) + ": "));
    EXPECT_THAT(text, HasSubstr("does not hold: one exceeds two; "));
    EXPECT_THAT(text, EndsWith("please report it"));
  }
}

TEST(Contract, of_the_event_queue_is_that_no_event_precedes_one_that_has_happened) {
  EventQueue queue;
  queue.push(Time{10}, Priority::normal, Action{});
  ASSERT_EQ(queue.next_time(Time{100}), Time{10});
  (void)queue.take();
  queue.push(Time{5}, Priority::normal, Action{});
  ASSERT_EQ(queue.next_time(Time{100}), Time{5});
  EXPECT_THROW((void)queue.take(), BrokenContract);
}

TEST(Contract, that_a_handler_breaks_ends_the_run) {
  Engine engine;
  Handler good{true}, bad{false}, never{false};
  engine.schedule(Time{10}, action<&Handler::act>(good));
  engine.schedule(Time{20}, action<&Handler::act>(bad));
  engine.schedule(Time{30}, action<&Handler::act>(never));
  EXPECT_THROW((void)engine.run(Time{100}), BrokenContract);
  EXPECT_EQ(engine.now(), Time{20});
}

TEST(Contract, that_a_process_breaks_ends_the_run_and_what_it_held_is_destroyed) {
  bool destroyed = false;
  struct Held {
    bool& destroyed;
    ~Held() { destroyed = true; }
  };
  Engine engine;
  engine.spawn(
      [](Engine& on, bool& flag) -> Process {
        const Held held{flag};
        co_await on.delay(Duration{10});
        contract(false, "the process is sound");
      }(engine, destroyed),
      "unsound");
  EXPECT_THROW((void)engine.run(Time{100}), BrokenContract);
  EXPECT_TRUE(destroyed);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
