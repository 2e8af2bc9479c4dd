// The pending-event set against a sorted reference, whatever is scheduled, cancelled and moved.
#include "sim/event_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace jostle::sim {
namespace JOSTLE_FILE {

constexpr Time far_away{std::int64_t{1} << 62U};

// Both sets, told the same things. What an event carries is the address of its own number.
class Pair {
 public:
  void schedule(std::int64_t delay, Priority priority) {
    ids_.push_back(queue_.push(Time{now_ + delay}, priority, {nullptr, nullptr}));
    reference_.emplace(Key{now_ + delay, static_cast<int>(priority), ++sequence_}, ids_.size() - 1);
    keys_.emplace_back(Key{now_ + delay, static_cast<int>(priority), sequence_});
  }
  void cancel(std::size_t which) {
    if (ids_.empty()) return;
    which %= ids_.size();
    RC_ASSERT(queue_.cancel(ids_[which]) == keys_[which].has_value());
    if (keys_[which]) reference_.erase(*keys_[which]);
    keys_[which].reset();
  }
  void retime(std::size_t which, std::int64_t delay) {
    if (ids_.empty()) return;
    which %= ids_.size();
    RC_ASSERT(queue_.retime(ids_[which], Time{now_ + delay}) == keys_[which].has_value());
    if (!keys_[which]) return;
    reference_.erase(*keys_[which]);
    keys_[which] = Key{now_ + delay, std::get<1>(*keys_[which]), ++sequence_};
    reference_.emplace(*keys_[which], which);
  }
  // Takes the next event of both, and checks that it is the same one.
  void take(Time limit) {
    const Time next = queue_.next_time(limit);
    if (reference_.empty() || std::get<0>(reference_.begin()->first) > limit.ps()) {
      RC_ASSERT(next == Time::never());
      return;
    }
    const auto [key, which] = *reference_.begin();
    RC_ASSERT(next.ps() == std::get<0>(key));
    RC_ASSERT(queue_.pending(ids_[which]));
    RC_ASSERT(queue_.take().time == next);
    RC_ASSERT(!queue_.pending(ids_[which]));
    now_ = next.ps();
    keys_[which].reset();
    reference_.erase(reference_.begin());
  }
  void take_all() {
    while (!reference_.empty()) take(far_away);
    RC_ASSERT(queue_.next_time(far_away) == Time::never());
  }
  void check_size() const {
    RC_ASSERT(queue_.size() == reference_.size());
    RC_ASSERT(queue_.entries() <= 2 * queue_.size() + 300);
  }
  [[nodiscard]] std::int64_t now() const { return now_; }

 private:
  using Key = std::tuple<std::int64_t, int, std::uint64_t>;
  EventQueue queue_;
  std::map<Key, std::size_t> reference_;
  std::vector<EventId> ids_;
  std::vector<std::optional<Key>> keys_;  // by event; none: happened or cancelled
  std::uint64_t sequence_ = 0;
  std::int64_t now_ = 0;
};

// Delays of every magnitude from none to years, many of them equal.
rc::Gen<std::int64_t> any_delay() {
  return rc::gen::apply(
      [](int bits, std::uint64_t raw) { return static_cast<std::int64_t>(raw >> (63 - bits)) / 2; },
      rc::gen::element(0, 0, 1, 3, 8, 12, 13, 20, 30, 45, 58), rc::gen::arbitrary<std::uint64_t>());
}

RC_GTEST_PROP(EventQueue, takes_events_in_order_like_a_sorted_map, ()) {
  Pair pair;
  const auto steps = *rc::gen::inRange(1, 2000);
  const auto crowd = *rc::gen::element(1, 4, 40, 400);
  for (int i = 0; i < steps; ++i) {
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
      case 1:
        pair.schedule(*any_delay(), *rc::gen::element(Priority::early, Priority::normal, Priority::late));
        break;
      case 2:
        // A crowd within a narrow window makes the sorted part spill and buckets split.
        for (int k = 0; k < crowd; ++k) pair.schedule(k * 7919 % 1000, Priority::normal);
        break;
      case 3:
        pair.cancel(*rc::gen::arbitrary<std::uint32_t>());
        break;
      case 4:
        pair.retime(*rc::gen::arbitrary<std::uint32_t>(), *any_delay());
        break;
      default:
        for (int k = 0; k < crowd; ++k) pair.take(Time{pair.now() + *any_delay()});
    }
    pair.check_size();
  }
  pair.take_all();
}

TEST(EventQueue, cancelled_event_never_fires) {
  EventQueue queue;
  const EventId id = queue.push(Time{5}, Priority::normal, Action{});
  EXPECT_TRUE(queue.cancel(id));
  EXPECT_FALSE(queue.cancel(id));
  EXPECT_FALSE(queue.pending(id));
  EXPECT_EQ(queue.next_time(far_away), Time::never());
}

TEST(EventQueue, an_old_id_does_not_cancel_the_event_that_took_its_place) {
  EventQueue queue;
  const EventId first = queue.push(Time{5}, Priority::normal, Action{});
  queue.cancel(first);
  const EventId second = queue.push(Time{6}, Priority::normal, Action{});
  EXPECT_FALSE(queue.cancel(first));
  EXPECT_TRUE(queue.pending(second));
}

TEST(EventQueue, cancelling_and_scheduling_for_ever_does_not_grow_it) {
  EventQueue queue;
  EventId id = queue.push(Time{1'000'000'000}, Priority::normal, Action{});
  for (int i = 0; i < 100'000; ++i) {
    queue.cancel(id);
    id = queue.push(Time{1'000'000'000 + i}, Priority::normal, Action{});
    ASSERT_LE(queue.entries(), 300U);
  }
}

TEST(EventQueue, an_event_can_be_scheduled_before_one_that_was_looked_at) {
  EventQueue queue;
  queue.push(Time{1'000'000}, Priority::normal, Action{});
  EXPECT_EQ(queue.next_time(Time{999'999}), Time::never());
  EXPECT_EQ(queue.next_time(Time{1'000'000}), Time{1'000'000});
  queue.push(Time{70}, Priority::normal, Action{});
  EXPECT_EQ(queue.next_time(Time{1'000'000}), Time{70});
}

TEST(EventQueue, a_hundred_thousand_events_of_one_instant_come_in_the_order_scheduled) {
  EventQueue queue;
  std::vector<int> marks(100'000);
  for (int& mark : marks) queue.push(Time{77}, Priority::normal, Action{nullptr, &mark});
  for (int& mark : marks) {
    ASSERT_EQ(queue.next_time(far_away), Time{77});
    ASSERT_EQ(queue.take().action.context, &mark);
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
