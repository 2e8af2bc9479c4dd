// Requests to a process: who waits, who is turned away.
#include "models/process/arrivals.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace jostle::process {
namespace {

using sim::milliseconds;
using sim::Time;

constexpr Time at(sim::Duration since_start) {
  return Time::zero() + since_start;
}

RequestQueue queue_with(std::optional<std::int64_t> limit, std::vector<double> ms) {
  Arrivals arrivals;
  arrivals.kind = ArrivalKind::trace;
  for (const double t : ms) arrivals.times.push_back(at(milliseconds(t)));
  arrivals.queue_limit = limit;
  return RequestQueue(arrivals, sim::RandomStream(1, "test"));
}

TEST(RequestQueue, serves_in_the_order_of_arrival) {
  RequestQueue queue = queue_with({}, {1, 2, 3});
  EXPECT_EQ(queue.take(at(milliseconds(0.5))), std::nullopt);
  EXPECT_EQ(queue.next(), at(milliseconds(1)));
  EXPECT_EQ(queue.take(at(milliseconds(1))), at(milliseconds(1)));
  EXPECT_EQ(queue.take(at(milliseconds(9))), at(milliseconds(2)));
  EXPECT_EQ(queue.take(at(milliseconds(9))), at(milliseconds(3)));
  EXPECT_EQ(queue.take(at(milliseconds(9))), std::nullopt);
  EXPECT_EQ(queue.next(), Time::never());
  EXPECT_EQ(queue.drops(), 0);
}

TEST(RequestQueue, turns_away_who_finds_it_full) {
  RequestQueue queue = queue_with(1, {1, 2, 3, 4});
  EXPECT_EQ(queue.take(at(milliseconds(1))), at(milliseconds(1)));
  EXPECT_EQ(queue.take(at(milliseconds(3.5))), at(milliseconds(2)));  // 3 found 2 waiting
  EXPECT_EQ(queue.drops(), 1);
  EXPECT_EQ(queue.take(at(milliseconds(5))), at(milliseconds(4)));
}

TEST(RequestQueue, without_room_to_wait_serves_those_who_find_the_process_free) {
  RequestQueue queue = queue_with(0, {1, 2, 5});
  EXPECT_EQ(queue.take(at(milliseconds(0))), std::nullopt);
  EXPECT_EQ(queue.take(at(milliseconds(1))), at(milliseconds(1)));
  EXPECT_EQ(queue.take(at(milliseconds(3))), std::nullopt);  // 2 came while 1 was served
  EXPECT_EQ(queue.take(at(milliseconds(5))), at(milliseconds(5)));
  EXPECT_EQ(queue.drops(), 1);
}

}  // namespace
}  // namespace jostle::process
