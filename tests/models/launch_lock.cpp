// The locks that the host threads of one process contend for (models/process/launch_lock.hpp).
#include "models/process/launch_lock.hpp"

#include <gtest/gtest.h>

namespace jostle::process {
namespace JOSTLE_FILE {

TEST(LaunchLock, takes_nothing_from_a_thread_that_launches_alone) {
  LaunchLock lock({.driver = 0.38, .interpreter = 0.8, .handover = 0.04});
  const Contention alone = lock.enter();
  EXPECT_EQ(alone.call, 1);
  EXPECT_EQ(alone.launches, 0);
  lock.leave();
  EXPECT_EQ(lock.enter().call, 1) << "who has left does not count";
}

TEST(LaunchLock, of_the_driver_lengthens_launches_by_the_threads_that_launch) {
  LaunchLock lock({.driver = 0.5});
  EXPECT_EQ(lock.enter().launches, 0);
  EXPECT_EQ(lock.enter().launches, 0.5);
  EXPECT_EQ(lock.enter().launches, 1);
  EXPECT_EQ(lock.among(3).call, 1);
}

TEST(LaunchLock, of_an_interpreter_is_the_bottleneck_of_a_closed_network) {
  const LaunchLock half({.interpreter = 0.5});
  EXPECT_EQ(half.among(2).call, 1) << "each works outside while the other holds it";
  EXPECT_EQ(half.among(4).call, 2);
  const LaunchLock handed({.interpreter = 1, .handover = 0.1});
  EXPECT_DOUBLE_EQ(handed.among(3).call, 3.6);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::process
