// A network link: what it delays, in which order, and how that agrees with queueing theory.
#include "models/link/link.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace jostle::link {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::milliseconds;
using sim::Time;

struct Delivery {
  std::size_t stream;
  Time captured, at;
  [[nodiscard]] Duration sojourn() const { return at - captured; }
};

// Sends requests of `bytes` at the times of each stream, all known at the start.
struct Trial {
  struct Ear {
    Trial* trial;
    std::size_t stream;
    int moving_changes = 0;
    bool moving = false;
  };
  Trial(const Spec& spec, double bytes, const std::vector<std::vector<Time>>& sends, std::uint64_t seed = 1)
      : link(engine, spec), ears(sends.size()) {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      ears[i] = {this, i};
      const StreamId id =
          link.open(bytes, sim::RandomStream(seed, fmt::format("stream {}", i)),
                    {.captured = nullptr,
                     .delivered =
                         [](void* self, Time captured) {
                           const Ear& ear = *static_cast<Ear*>(self);
                           ear.trial->deliveries.push_back({ear.stream, captured, ear.trial->engine.now()});
                         },
                     .wake = nullptr,
                     .under_way =
                         [](void* self, bool any) {
                           Ear& ear = *static_cast<Ear*>(self);
                           EXPECT_NE(ear.moving, any);
                           ear.moving = any;
                           ++ear.moving_changes;
                         },
                     .context = &ears[i]});
      for (const Time at : sends[i]) link.send(id, at);
    }
    (void)engine.run(Time::zero() + sim::seconds(100'000));
  }

  sim::Engine engine;
  Link link;
  std::vector<Ear> ears;
  std::vector<Delivery> deliveries;
};

std::vector<Time> times_ms(const std::vector<double>& ms) {
  std::vector<Time> times;
  for (const double t : ms) times.push_back(Time::zero() + milliseconds(t));
  return times;
}

double mean_ms(const std::vector<Delivery>& deliveries) {
  double sum = 0;
  for (const Delivery& delivery : deliveries) sum += sim::to_ms(delivery.sojourn());
  return sum / static_cast<double>(deliveries.size());
}

TEST(Link, takes_the_bytes_over_the_bandwidth_and_half_the_round_trip) {
  // 1 MB/s: 10 kB are 10 ms.
  const Trial trial({.bandwidth_bytes_per_s = 1e6, .rtt = milliseconds(30), .jitter = {}}, 10e3,
                    {times_ms({5})});
  ASSERT_EQ(trial.deliveries.size(), 1U);
  EXPECT_EQ(trial.deliveries[0].sojourn(), milliseconds(25));
  EXPECT_EQ(trial.link.answer_time(), milliseconds(15));
  EXPECT_EQ(trial.link.statistics().busy, milliseconds(10));
}

TEST(Link, streams_wait_for_each_other) {
  const Trial trial({.bandwidth_bytes_per_s = 1e6, .rtt = {}, .jitter = {}}, 10e3,
                    {times_ms({0}), times_ms({0}), times_ms({4})});
  ASSERT_EQ(trial.deliveries.size(), 3U);
  EXPECT_EQ(trial.deliveries[0].at, Time::zero() + milliseconds(10));
  EXPECT_EQ(trial.deliveries[1].at, Time::zero() + milliseconds(20));
  EXPECT_EQ(trial.deliveries[2].at, Time::zero() + milliseconds(30));
  EXPECT_EQ(trial.link.statistics().waited, milliseconds(10 + 16));
}

TEST(Link, that_costs_nothing_delivers_at_once_and_tells_of_nothing_under_way) {
  const Trial trial({.bandwidth_bytes_per_s = 1, .rtt = {}, .jitter = {}}, 0, {times_ms({1, 2, 2, 3})});
  ASSERT_EQ(trial.deliveries.size(), 4U);
  for (const Delivery& delivery : trial.deliveries) EXPECT_EQ(delivery.sojourn(), Duration::zero());
  EXPECT_EQ(trial.ears[0].moving_changes, 0);
}

TEST(Link, tells_when_anything_is_under_way) {
  const Trial trial({.bandwidth_bytes_per_s = 1e6, .rtt = milliseconds(2), .jitter = {}}, 10e3,
                    {times_ms({0, 5, 50})});
  EXPECT_EQ(trial.ears[0].moving_changes, 4);  // 0 and 5 overlap
  EXPECT_FALSE(trial.ears[0].moving);
}

TEST(Link, a_lost_request_holds_up_those_of_its_stream_and_no_others) {
  const Spec spec{.bandwidth_bytes_per_s = 1e9, .rtt = milliseconds(2), .jitter = {}, .loss = 0.02};
  std::vector<Time> sends;
  for (int i = 0; i < 400; ++i) sends.push_back(Time::zero() + milliseconds(10 * i));
  const Trial trial(spec, 1e3, {sends, sends});
  ASSERT_EQ(trial.deliveries.size(), 800U);
  std::vector<std::vector<bool>> late(2);
  std::vector<Time> last(2);
  for (const Delivery& delivery : trial.deliveries) {
    EXPECT_GE(delivery.at, last[delivery.stream]);
    last[delivery.stream] = delivery.at;
    late[delivery.stream].push_back(delivery.sojourn() > milliseconds(5));
  }
  std::size_t apart = 0;  // of the two that were sent at one time one came on time, the other did not
  for (std::size_t i = 0; i < 400; ++i) apart += late[0][i] != late[1][i] ? 1 : 0;
  EXPECT_GT(apart, 40U);
  // One that is lost holds up the nineteen that are sent in the 200 ms until it goes again.
  const auto first = std::ranges::find(late[0], true) - late[0].begin();
  for (std::ptrdiff_t i = first; i < first + 20; ++i) EXPECT_TRUE(late[0][static_cast<std::size_t>(i)]) << i;
}

TEST(Link, retries_as_often_as_the_loss_says) {
  const double loss = 0.2;
  Spec spec{.bandwidth_bytes_per_s = 1e9, .rtt = {}, .jitter = {}, .loss = loss};
  std::vector<Time> sends;
  for (int i = 0; i < 20'000; ++i) sends.push_back(Time::zero() + sim::seconds(5 * i / 4.0));
  const Trial trial(spec, 0, {sends});
  const Link::Statistics sums = trial.link.statistics();
  const double expected = loss / (1 - loss), got = static_cast<double>(sums.tries - sums.sent) / 20'000;
  EXPECT_NEAR(got, expected, 4 * std::sqrt(loss) / (1 - loss) / std::sqrt(20'000.0));
  // Each costs the time-out; what it does to those behind it only adds to that.
  EXPECT_GE(mean_ms(trial.deliveries), 200 * got * 0.9999);
  EXPECT_LT(mean_ms(trial.deliveries), 200 * got * 1.02);
}

TEST(Link, waits_for_an_acknowledgement_before_it_tries_again) {
  for (const double rtt : {10.0, 600.0}) {
    Spec spec{.bandwidth_bytes_per_s = 1e9, .rtt = milliseconds(rtt), .jitter = {}, .loss = 0.5};
    std::vector<Time> sends;
    for (int i = 0; i < 50; ++i) sends.push_back(Time::zero() + sim::seconds(100 * i));
    const Trial trial(spec, 0, {sends});
    for (const Delivery& delivery : trial.deliveries) {
      const Duration delayed = delivery.sojourn() - milliseconds(rtt / 2);
      EXPECT_EQ(delayed % milliseconds(std::max(rtt, 200.0)), Duration::zero());
    }
  }
}

TEST(Link, jitter_has_the_mean_and_the_deviation_that_it_is_given) {
  Spec spec{.bandwidth_bytes_per_s = 1e9, .rtt = {}, .jitter = milliseconds(5)};
  std::vector<Time> sends;
  for (int i = 0; i < 40'000; ++i) sends.push_back(Time::zero() + sim::seconds(i));
  const Trial trial(spec, 0, {sends});
  double squares = 0;
  const double mean = mean_ms(trial.deliveries);
  for (const Delivery& delivery : trial.deliveries)
    squares += std::pow(sim::to_ms(delivery.sojourn()) - mean, 2);
  EXPECT_NEAR(mean, 5, 0.1);
  EXPECT_NEAR(std::sqrt(squares / 40'000), 5, 0.35);
}

// D/D/1: below capacity nobody waits.
RC_GTEST_PROP(Link, regular_requests_below_capacity_never_wait, ()) {
  const auto kilobytes = static_cast<double>(*rc::gen::inRange(1, 500));
  const double load = *rc::gen::inRange(1, 100) / 100.0;
  const double interval_ms = kilobytes / load;  // at 1 MB/s
  std::vector<Time> sends;
  for (int i = 0; i < 100; ++i) sends.push_back(Time::zero() + milliseconds(interval_ms * i));
  const Trial trial({.bandwidth_bytes_per_s = 1e6, .rtt = {}, .jitter = {}}, kilobytes * 1e3, {sends});
  RC_ASSERT(trial.link.statistics().waited <= Duration(100));  // rounding of the intervals
}

// M/D/1, Pollaczek and Khinchine: the mean wait is load / (2 (1 - load)) of a transfer.
TEST(Link, random_requests_wait_as_long_as_pollaczek_and_khinchine_say) {
  for (const double load : {0.3, 0.6, 0.8}) {
    sim::RandomStream random(7, "requests");
    std::vector<Time> sends;
    Time at;
    for (int i = 0; i < 200'000; ++i) sends.push_back(at += sim::seconds(random.exponential(0.01 / load)));
    const Trial trial({.bandwidth_bytes_per_s = 1e6, .rtt = {}, .jitter = {}}, 10e3, {sends});
    const double expected = 10 * load / (2 * (1 - load));
    EXPECT_NEAR(mean_ms(trial.deliveries) - 10, expected, 0.05 * expected) << load;
  }
}

struct Case {
  Spec spec;
  double bytes;
  std::vector<std::vector<Time>> sends;
};

Case any_case() {
  Case any;
  any.spec = {.bandwidth_bytes_per_s = *rc::gen::inRange(1, 1000) * 1e4,
              .rtt = milliseconds(*rc::gen::inRange(0, 300)),
              .jitter = milliseconds(*rc::gen::inRange(0, 20)),
              .loss = *rc::gen::inRange(0, 40) / 100.0};
  any.bytes = *rc::gen::inRange(0, 200'000);
  const int streams = *rc::gen::inRange(1, 5);
  for (int i = 0; i < streams; ++i) {
    std::vector<Time> sends;
    Time at;
    const int count = *rc::gen::inRange(1, 30);
    for (int n = 0; n < count; ++n) sends.push_back(at += milliseconds(*rc::gen::inRange(0, 60)));
    any.sends.push_back(std::move(sends));
  }
  return any;
}

RC_GTEST_PROP(Link, every_request_arrives_once_in_order_and_not_before_it_can, ()) {
  const Case any = any_case();
  const Trial trial(any.spec, any.bytes, any.sends);
  const Duration least =
      sim::seconds(any.bytes / any.spec.bandwidth_bytes_per_s) + (any.spec.rtt - any.spec.rtt / 2);
  std::vector<std::size_t> seen(any.sends.size());
  std::vector<Time> last(any.sends.size());
  for (const Delivery& delivery : trial.deliveries) {
    RC_ASSERT(delivery.sojourn() >= least);
    RC_ASSERT(delivery.captured == any.sends[delivery.stream][seen[delivery.stream]++]);
    RC_ASSERT(delivery.at >= last[delivery.stream]);
    last[delivery.stream] = delivery.at;
  }
  for (std::size_t i = 0; i < seen.size(); ++i) RC_ASSERT(seen[i] == any.sends[i].size());
  // Utilisation law: the time it sends is what all tries take.
  const Link::Statistics sums = trial.link.statistics();
  RC_ASSERT(sums.busy == sim::seconds(any.bytes / any.spec.bandwidth_bytes_per_s) * sums.tries);
  RC_ASSERT(sums.queued == 0);
  for (const Trial::Ear& ear : trial.ears) RC_ASSERT(!ear.moving);
}

RC_GTEST_PROP(Link, without_loss_no_request_is_earlier_on_a_slower_or_longer_link, ()) {
  Case any = any_case();
  any.spec.loss = 0;
  Spec worse = any.spec;
  worse.bandwidth_bytes_per_s /= *rc::gen::inRange(1, 4);
  worse.rtt += milliseconds(*rc::gen::inRange(0, 50));
  const auto arrivals = [&](const Spec& spec) {
    const Trial trial(spec, any.bytes, any.sends);
    std::vector<std::vector<Time>> by_stream(any.sends.size());
    for (const Delivery& delivery : trial.deliveries) by_stream[delivery.stream].push_back(delivery.at);
    return by_stream;
  };
  const auto better = arrivals(any.spec), later = arrivals(worse);
  for (std::size_t i = 0; i < better.size(); ++i)
    for (std::size_t n = 0; n < better[i].size(); ++n) RC_ASSERT(better[i][n] <= later[i][n]);
}

TEST(Link, refuses_what_cannot_be) {
  sim::Engine engine;
  EXPECT_THROW(Link(engine, {.bandwidth_bytes_per_s = 0, .rtt = {}, .jitter = {}}), std::invalid_argument);
  EXPECT_THROW(Link(engine, {.bandwidth_bytes_per_s = 1, .rtt = {}, .jitter = {}, .loss = 1}),
               std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::link
