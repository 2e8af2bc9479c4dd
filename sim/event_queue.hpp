// The pending-event set: events in the order (time, priority, sequence), with cancel and re-time.
//
// The set is a radix ladder. Events lie unsorted in buckets. The bucket of an event is given by the highest
// base-64 digit in which its time differs from `base_`. Only the bucket that is due is processed: it is split
// further or, if it is small, sorted into `bottom_`. So an event is moved a few times and sorted once among a
// few neighbours, for every distribution of times, and nothing needs tuning. Cancelling an event leaves a
// stale entry. It is skipped when it is due, and all stale entries are purged when they outnumber the live
// ones, so memory stays proportional to the number of pending events. Once the pools have grown to the size
// of the run, no event needs an allocation.
#pragma once

#include <array>
#include <bit>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/action.hpp"
#include "sim/contract.hpp"
#include "sim/time.hpp"

namespace jostle::sim {

// Among events of equal time, the lower priority value goes first; within a priority, the event scheduled
// first.
enum class Priority : std::uint8_t { first = 0, early = 64, normal = 128, late = 192, last = 255 };

// Identifies one scheduled event; a default-constructed id identifies none. An id may outlive its event.
class EventId {
 public:
  constexpr EventId() = default;
  [[nodiscard]] constexpr explicit operator bool() const { return order_ != 0; }
  constexpr bool operator==(const EventId&) const = default;

 private:
  friend class EventQueue;
  constexpr EventId(std::uint32_t slot, std::uint64_t order) : order_(order), slot_(slot) {}
  std::uint64_t order_ = 0;  // priority and sequence: unique in a run, so it serves as the generation
  std::uint32_t slot_ = 0;
};

class EventQueue {
 public:
  // An event that is due: an action, or a coroutine to resume if `action.function` is null.
  struct Due {
    Time time;
    Action action;
    std::coroutine_handle<> coroutine;
  };

  EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // `at` must not precede the last event taken.
  EventId push(Time at, Priority priority, Action action);
  // Schedules the resumption of a coroutine: cheaper than an action, but it cannot be cancelled.
  void push(Time at, Priority priority, std::coroutine_handle<> coroutine);

  [[nodiscard]] bool pending(EventId id) const { return id && slots_[id.slot_].order == id.order_; }
  // Cancels the event. False if it has already happened or was cancelled before.
  bool cancel(EventId id);
  // Moves a pending event to `at`, as if it were scheduled now (new sequence number, same priority), and
  // updates the id. False if it is not pending.
  bool retime(EventId& id, Time at);

  // The time of the next event if it is not after `limit`; Time::never() otherwise.
  [[nodiscard]] Time next_time(Time limit);
  // Takes the next event. Call only directly after next_time() found one.
  [[nodiscard]] Due take();

  // Pending events, without cancelled ones; and entries held for them, including stale ones.
  [[nodiscard]] std::size_t size() const { return live_; }
  [[nodiscard]] std::size_t entries() const { return live_ + stale_; }

 private:
  static constexpr unsigned digit_bits = 6;
  static constexpr unsigned digits = 1U << digit_bits;
  static constexpr unsigned levels = (64 + digit_bits - 1) / digit_bits;
  static constexpr std::size_t spill_above = 96;  // a bottom that has grown beyond this is split again
  static constexpr std::size_t few = 32;          // bottom entries among which an insert searches one by one
  // Number of stale entries allowed beyond the number of live events.
  static constexpr std::size_t stale_allowed = 256;

  // `what`: either a slot (low bit set) or the address of a coroutine frame.
  struct Entry {
    std::uint64_t time;   // picoseconds
    std::uint64_t order;  // priority in the top 8 bits, then the sequence
    std::uint64_t what;

    friend bool operator<(const Entry& a, const Entry& b) {
      return a.time != b.time ? a.time < b.time : a.order < b.order;
    }
  };
  // The action of a cancellable event. The slot is free if `order` is 0; `next` is then the next free slot.
  struct Slot {
    Action action{};
    std::uint64_t order = 0;
    std::uint32_t next = 0;
  };
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
  // A bucket is a chain of chunks, newest first; all but the first are full.
  struct alignas(64) Chunk {
    static constexpr std::uint32_t capacity = 18;  // 448 bytes in all
    Chunk* next;
    std::uint32_t count;
    std::uint32_t behind;  // chunks after this one in the chain
    std::array<Entry, capacity> entries;
  };

  [[nodiscard]] static bool has_slot(const Entry& e) { return (e.what & 1U) != 0; }
  [[nodiscard]] static std::size_t slot_of(const Entry& e) { return static_cast<std::size_t>(e.what >> 1U); }
  [[nodiscard]] bool stale(const Entry& e) const {
    return has_slot(e) && slots_[slot_of(e)].order != e.order;
  }
  [[nodiscard]] std::uint64_t next_order(Priority priority) {
    return (static_cast<std::uint64_t>(priority) << 56U) | ++sequence_;
  }

  void insert(const Entry& e) {
    if (e.time >= bottom_end_) {
      append(e);
    } else if (tail_ - head_ <= few && tail_ != bottom_.size()) {
      insert_among_few(e);
    } else {
      insert_in_bottom(e);
    }
  }
  void append(const Entry& e) {
    const std::uint64_t differs = e.time ^ base_;
    const unsigned level = static_cast<unsigned>(63 - std::countl_zero(differs | 1U)) / digit_bits;
    const unsigned digit = static_cast<unsigned>(e.time >> (level * digit_bits)) & (digits - 1);
    Chunk*& bucket = buckets_[level * digits + digit];
    if (bucket == nullptr || bucket->count == Chunk::capacity) add_chunk(bucket, level, digit);
    bucket->entries[bucket->count++] = e;
  }
  void add_chunk(Chunk*& bucket, unsigned level, unsigned digit);
  void insert_in_bottom(const Entry& e);
  void insert_among_few(const Entry& e);
  void spill_bottom();
  bool refill(std::uint64_t limit);
  void sort_few(Chunk* chunk);
  void sort_many(Chunk* chain);
  void release(Chunk* chunk);
  void purge();
  void grow_chunks();
  std::uint32_t new_slot();
  void free_slot(std::size_t slot);
  void split(Chunk* chain);
  void prefetch(const Entry& e) const;
  static void prefetch(const Chunk& chunk);

  std::uint64_t sequence_ = 0;
  std::size_t live_ = 0;
  std::size_t stale_ = 0;

  // Sorted entries [head_, tail_) of bottom_: all events before bottom_end_.
  std::vector<Entry> bottom_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::uint64_t bottom_end_ = 0;
  unsigned bottom_level_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t last_taken_ = 0;

  std::uint32_t used_levels_ = 0;
  std::array<std::uint64_t, levels> used_digits_{};
  std::array<Chunk*, levels * digits> buckets_{};
  Chunk* free_chunks_ = nullptr;
  std::vector<std::unique_ptr<Chunk[]>> chunk_blocks_;

  std::vector<Slot> slots_;
  std::uint32_t free_slot_ = no_slot;
};

inline void EventQueue::push(Time at, Priority priority, std::coroutine_handle<> coroutine) {
  ++live_;
  insert({static_cast<std::uint64_t>(at.ps()), next_order(priority),
          static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(coroutine.address()))});
}

inline EventId EventQueue::push(Time at, Priority priority, Action action) {
  const std::uint32_t slot = new_slot();
  const std::uint64_t order = next_order(priority);
  slots_[slot].action = action;
  slots_[slot].order = order;
  ++live_;
  insert({static_cast<std::uint64_t>(at.ps()), order, (std::uint64_t{slot} << 1U) | 1U});
  return {slot, order};
}

inline std::uint32_t EventQueue::new_slot() {
  if (free_slot_ != no_slot) return std::exchange(free_slot_, slots_[free_slot_].next);
  slots_.emplace_back();
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

inline void EventQueue::free_slot(std::size_t slot) {
  slots_[slot].order = 0;
  slots_[slot].next = std::exchange(free_slot_, static_cast<std::uint32_t>(slot));
}

inline bool EventQueue::cancel(EventId id) {
  if (!pending(id)) return false;
  free_slot(id.slot_);
  --live_;
  if (++stale_ > live_ + stale_allowed) purge();
  return true;
}

inline bool EventQueue::retime(EventId& id, Time at) {
  if (!pending(id)) return false;
  Slot& slot = slots_[id.slot_];
  slot.order = next_order(static_cast<Priority>(id.order_ >> 56U));
  id.order_ = slot.order;
  ++stale_;
  insert({static_cast<std::uint64_t>(at.ps()), slot.order, (std::uint64_t{id.slot_} << 1U) | 1U});
  if (stale_ > live_ + stale_allowed) purge();
  return true;
}

// Prefetches the slot or frame of an entry that is due soon: with many pending events it is not in the cache.
inline void EventQueue::prefetch(const Entry& e) const {
  if (has_slot(e)) {
    __builtin_prefetch(&slots_[slot_of(e)]);
  } else {
    const auto* const frame = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(e.what));
    __builtin_prefetch(frame);
    __builtin_prefetch(frame + 64);
  }
}

inline Time EventQueue::next_time(Time limit) {
  const auto limit_ps = static_cast<std::uint64_t>(limit.ps());
  for (;;) {
    while (head_ != tail_) {
      const Entry& e = bottom_[head_];
      if (e.time > limit_ps) return Time::never();
      if (!stale(e)) return Time{static_cast<std::int64_t>(e.time)};
      ++head_;
      --stale_;
    }
    if (!refill(limit_ps)) return Time::never();
  }
}

inline EventQueue::Due EventQueue::take() {
  const Entry e = bottom_[head_++];
  contract(e.time >= last_taken_, "events happen in the order of their times");
  --live_;
  last_taken_ = e.time;
  Due due{Time{static_cast<std::int64_t>(e.time)}, {}, {}};
  if (has_slot(e)) {
    due.action = slots_[slot_of(e)].action;
    free_slot(slot_of(e));
  } else {
    due.coroutine =
        std::coroutine_handle<>::from_address(reinterpret_cast<void*>(static_cast<std::uintptr_t>(e.what)));
  }
  return due;
}

}  // namespace jostle::sim
