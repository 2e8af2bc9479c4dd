// Who has the GPU, without any kernels.
#include <gtest/gtest.h>

#include "models/gpu/turns.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::milliseconds;
using sim::Time;
using Mode = Turns::Mode;

Time at(double ms) {
  return Time::zero() + milliseconds(ms);
}

Spec slices_of_two_ms() {
  Spec spec;
  spec.time_slicing.slice = milliseconds(2);
  spec.time_slicing.switch_when_idle = milliseconds(0.1);
  spec.time_slicing.hold_when_idle = milliseconds(0.5);
  spec.idle_wake = {.after = milliseconds(10), .cost = milliseconds(0.3)};
  return spec;
}

// Three processes, of which the first has its turn from time zero on.
struct TurnsOfThree : ::testing::Test {
  TurnsOfThree() {
    for (int i = 0; i < 3; ++i) turns_.add({});
    EXPECT_TRUE(turns_.wake_up(0));
    turns_.begin();
  }
  void go_to(double ms) { (void)engine_.run(at(ms)); }
  void rest() {
    turns_.rest();
    EXPECT_EQ(turns_.mode(), Mode::idle);
  }

  sim::Engine engine_;
  Spec spec_ = slices_of_two_ms();
  Turns turns_{engine_, spec_, 1, false};
};

TEST_F(TurnsOfThree, an_owner_without_competitors_renews_its_slice_and_one_with_some_does_not) {
  EXPECT_EQ(turns_.ends(), at(2));
  go_to(5);
  turns_.wait(1);
  EXPECT_EQ(turns_.ends(), at(6));
  go_to(7);
  turns_.wait(2);
  EXPECT_EQ(turns_.ends(), at(6));
}

TEST_F(TurnsOfThree, go_round_and_each_switch_takes_its_time) {
  turns_.wait(2);
  go_to(2);
  turns_.leave(milliseconds(0.4));
  EXPECT_EQ(turns_.owner(), 2U);
  turns_.wait(0);
  turns_.wait(1);
  EXPECT_EQ(turns_.mode(), Mode::switching);
  EXPECT_EQ(turns_.mode_ends(), at(2.4));
  go_to(2.4);
  turns_.begin();
  turns_.leave(Duration::zero());
  EXPECT_EQ(turns_.owner(), 0U);
  EXPECT_EQ(turns_.switches(), 2);
  EXPECT_EQ(turns_.switching(), milliseconds(0.4));
}

TEST_F(TurnsOfThree, an_owner_out_of_work_holds_the_gpu_at_most_until_its_slice_is_over) {
  turns_.wait(1);
  go_to(0.2);
  EXPECT_TRUE(turns_.hold());
  EXPECT_EQ(turns_.mode_ends(), at(0.7));
  turns_.resume();
  go_to(1.8);
  EXPECT_TRUE(turns_.hold());
  EXPECT_EQ(turns_.mode_ends(), at(2));
  turns_.resume();
  go_to(2);
  EXPECT_FALSE(turns_.hold());
}

TEST_F(TurnsOfThree, the_last_owner_has_an_idle_gpu_at_once_and_others_after_a_switch) {
  go_to(1);
  rest();
  EXPECT_TRUE(turns_.wake_up(0));
  EXPECT_EQ(turns_.wake(), Duration::zero());
  turns_.begin();
  rest();
  EXPECT_FALSE(turns_.wake_up(2));
  EXPECT_EQ(turns_.mode_ends(), at(1.1));
}

TEST_F(TurnsOfThree, waking_a_gpu_that_sleeps_is_hidden_in_a_longer_switch) {
  rest();
  go_to(10);
  EXPECT_EQ(turns_.wake(), milliseconds(0.3));
  EXPECT_FALSE(turns_.wake_up(1));
  EXPECT_EQ(turns_.mode_ends(), at(10.3));
}

TEST_F(TurnsOfThree, what_runs_when_a_slice_expires_prolongs_the_turn_unless_the_expiry_is_undone_before) {
  turns_.wait(1);
  turns_.drain(milliseconds(0.3));
  EXPECT_EQ(turns_.ends(), at(2.3));
  go_to(1);
  turns_.undo_drain();
  EXPECT_FALSE(turns_.draining());
  EXPECT_EQ(turns_.ends(), at(2));
  turns_.drain(milliseconds(0.6));
  go_to(2.1);
  turns_.undo_drain();  // too late
  EXPECT_EQ(turns_.ends(), at(2.6));
}

TEST_F(TurnsOfThree, caches_are_refilled_before_the_owner_runs) {
  turns_.wait(1);
  turns_.leave(Duration::zero());
  turns_.begin(milliseconds(0.2));
  EXPECT_TRUE(turns_.has_gpu());
  EXPECT_FALSE(turns_.runs());
  EXPECT_EQ(turns_.mode_ends(), at(0.2));
  turns_.resume();
  EXPECT_TRUE(turns_.runs());
}

TEST_F(TurnsOfThree, tell_mistakes_of_a_gpu) {
  EXPECT_THROW(turns_.wait(0), sim::BrokenContract);                  // it has the GPU
  EXPECT_THROW(turns_.leave(Duration::zero()), sim::BrokenContract);  // nobody waits
  EXPECT_THROW((void)turns_.hold(), sim::BrokenContract);
  EXPECT_THROW(turns_.begin(), sim::BrokenContract);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
