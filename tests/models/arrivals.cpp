// Requests to a process: who waits, who is turned away.
#include "models/process/arrivals.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace jostle::process {
namespace JOSTLE_FILE {

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

// A source of a million requests a second that nobody serves for long.
TEST(RequestQueue, of_an_overload_keeps_few_requests_and_serves_all_in_their_order) {
  Arrivals arrivals;
  arrivals.kind = ArrivalKind::poisson;
  arrivals.rate_per_s = 1e6;
  arrivals.burst = 3;
  ArrivalTimes times(arrivals, sim::RandomStream(1, "test"));
  RequestQueue queue(arrivals, sim::RandomStream(1, "test"));
  const auto next = [&] {
    const Time since = times.since();
    times.advance();
    return since;
  };
  Time now;
  for (const auto& [until_ms, takes] :
       std::vector<std::pair<double, int>>{{1, 1}, {100, 70'000}, {200, 3}, {250, 400'000}, {300, 1000}}) {
    now = at(milliseconds(until_ms));
    const std::int64_t waiting = queue.waiting(now);
    EXPECT_LE(queue.kept(), 1U << 16U);
    for (int i = 0; i < takes; ++i) ASSERT_EQ(queue.take(now), next()) << i;
    EXPECT_EQ(queue.waiting(now), waiting - takes);
  }
  while (const auto made = queue.take(now)) ASSERT_EQ(*made, next());
  EXPECT_GT(times.next(), now);
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

TEST(RequestQueue, of_a_process_that_gets_no_core_fills_and_drops) {
  RequestQueue queue = queue_with(1, {1, 2, 3, 4});
  EXPECT_EQ(queue.take(at(milliseconds(0))), std::nullopt);
  EXPECT_EQ(queue.waiting(at(milliseconds(1))), 1);
  EXPECT_TRUE(queue.may_have(at(milliseconds(1))));
  EXPECT_EQ(queue.waiting(at(milliseconds(5))), 2);  // 3 and 4 found 2 waiting
  EXPECT_EQ(queue.drops(), 2);
  EXPECT_EQ(queue.take(at(milliseconds(5))), at(milliseconds(1)));
  EXPECT_EQ(queue.take(at(milliseconds(5))), at(milliseconds(2)));
  EXPECT_EQ(queue.take(at(milliseconds(5))), std::nullopt);
}

Arrivals periodic(double rate, std::int64_t streams, std::int64_t dynamic_batch) {
  Arrivals arrivals;
  arrivals.kind = ArrivalKind::periodic;
  arrivals.rate_per_s = rate;
  arrivals.streams = streams;
  arrivals.dynamic_batch = dynamic_batch;
  return arrivals;
}

RC_GTEST_PROP(ArrivalTimes, of_several_streams_hold_as_many_in_every_period, ()) {
  const auto streams = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  ArrivalTimes times(periodic(10, streams, 1), sim::RandomStream(seed, "test"));
  std::vector<sim::Time> seen;
  for (std::int64_t i = 0; i < 3 * streams; ++i, times.advance()) {
    RC_ASSERT(times.since() == times.next());
    const bool in_order = seen.empty() || times.next() >= seen.back();
    RC_ASSERT(in_order);
    seen.push_back(times.next());
  }
  for (std::size_t i = static_cast<std::size_t>(streams); i < seen.size(); ++i)
    RC_ASSERT(seen[i] - seen[i - static_cast<std::size_t>(streams)] == sim::milliseconds(100));
}

RC_GTEST_PROP(ArrivalTimes, of_clocks_that_drift_keep_their_rate_within_the_drift_and_pass_each_other, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Arrivals exact = periodic(10, 2, 1), drifting = exact;
  drifting.drift = 0.01;
  ArrivalTimes a(exact, sim::RandomStream(seed, "test")), b(drifting, sim::RandomStream(seed, "test"));
  sim::Time last;
  for (int i = 0; i < 2000; ++i, a.advance(), b.advance()) {
    RC_ASSERT(b.next() >= last);
    last = b.next();
  }
  const double ratio = sim::to_seconds(b.next() - Time::zero()) / sim::to_seconds(a.next() - Time::zero());
  RC_ASSERT(ratio > 0.99 - 1e-3);
  RC_ASSERT(ratio < 1 / 0.99 + 1e-3);
  RC_ASSERT(b.next() != a.next());
}

RC_GTEST_PROP(ArrivalTimes, gathered_are_whole_with_their_last_part_and_count_from_their_first, ()) {
  const auto streams = *rc::gen::inRange<std::int64_t>(1, 6);
  const auto dynamic_batch = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  ArrivalTimes parts(periodic(30, streams, 1), sim::RandomStream(seed, "test"));
  ArrivalTimes whole(periodic(30, streams, dynamic_batch), sim::RandomStream(seed, "test"));
  for (int request = 0; request < 5; ++request, whole.advance()) {
    RC_ASSERT(whole.since() == parts.next());
    for (std::int64_t i = 1; i < dynamic_batch; ++i) parts.advance();
    RC_ASSERT(whole.next() == parts.next());
    parts.advance();
  }
}

TEST(RequestQueue, gives_a_gathered_request_when_it_is_whole_with_the_time_of_its_first_part) {
  Arrivals arrivals = periodic(1000, 1, 3);
  arrivals.phase = sim::milliseconds(1);
  RequestQueue queue(arrivals, sim::RandomStream(1, "test"));
  EXPECT_FALSE(queue.take(sim::Time::zero() + sim::milliseconds(2.5)).has_value());
  EXPECT_EQ(queue.next(), sim::Time::zero() + sim::milliseconds(3));
  EXPECT_EQ(queue.take(queue.next()), sim::Time::zero() + sim::milliseconds(1));
}

TEST(RequestQueue, gives_all_requests_of_a_burst_at_its_time) {
  Arrivals arrivals = periodic(1000, 1, 1);
  arrivals.phase = sim::milliseconds(1);
  arrivals.burst = 3;
  RequestQueue queue(arrivals, sim::RandomStream(1, "test"));
  EXPECT_EQ(queue.take(at(milliseconds(0.5))), std::nullopt);
  EXPECT_EQ(queue.waiting(at(milliseconds(1))), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.take(at(milliseconds(1.5))), at(milliseconds(1)));
  EXPECT_EQ(queue.take(at(milliseconds(1.5))), std::nullopt);
  EXPECT_EQ(queue.next(), at(milliseconds(2)));
}

TEST(Queries, are_answered_with_their_last_request_in_whatever_order) {
  Queries queries(3);
  const Time a = at(milliseconds(1)), b = at(milliseconds(2));
  EXPECT_FALSE(queries.answered(a));
  EXPECT_FALSE(queries.answered(b));
  EXPECT_FALSE(queries.answered(b));
  EXPECT_TRUE(queries.answered(b));
  EXPECT_FALSE(queries.answered(a));
  EXPECT_TRUE(queries.answered(a));
  for (int simultaneous = 0; simultaneous < 2; ++simultaneous) {
    EXPECT_FALSE(queries.answered(a));
    EXPECT_FALSE(queries.answered(a));
    EXPECT_TRUE(queries.answered(a));
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::process
