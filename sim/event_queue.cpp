// The less frequent operations of the pending-event set: splitting, sorting, spilling, purging.
#include "sim/event_queue.hpp"

#include <algorithm>

namespace jostle::sim {
namespace {

constexpr std::size_t chunks_per_block = 64;
constexpr std::size_t room_before =
    8;  // free places kept before the head, so that an early insert moves few entries

// A chain of fewer chunks than this is split into buckets that are sorted next. The slots and frames of its
// entries are prefetched during the split, because later there is too little time for it. Two cache lines for
// each of at most 1152 events fit the second-level cache.
constexpr std::uint32_t prefetch_below_chunks = 64;

}  // namespace

EventQueue::EventQueue() : bottom_(256) {}

void EventQueue::prefetch(const Chunk& chunk) {
  for (std::size_t byte = 0; byte < sizeof(Chunk); byte += 64) {
    __builtin_prefetch(reinterpret_cast<const char*>(&chunk) + byte);
  }
}

void EventQueue::grow_chunks() {
  chunk_blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(chunks_per_block));
  Chunk* const block = chunk_blocks_.back().get();
  for (std::size_t i = 0; i < chunks_per_block; ++i) release(block + i);
}

void EventQueue::release(Chunk* chunk) {
  chunk->next = free_chunks_;
  free_chunks_ = chunk;
}

void EventQueue::add_chunk(Chunk*& bucket, unsigned level, unsigned digit) {
  if (free_chunks_ == nullptr) grow_chunks();
  Chunk* const chunk = free_chunks_;
  free_chunks_ = chunk->next;
  chunk->next = bucket;
  chunk->count = 0;
  chunk->behind = bucket == nullptr ? 0 : bucket->behind + 1;
  bucket = chunk;
  used_digits_[level] |= std::uint64_t{1} << digit;
  used_levels_ |= 1U << level;
}

void EventQueue::insert_in_bottom(const Entry& e) {
  if (tail_ - head_ >= spill_above && bottom_level_ > 0) {
    spill_bottom();
    append(e);
    return;
  }
  const auto begin = bottom_.begin();
  const auto head = begin + static_cast<std::ptrdiff_t>(head_);
  const auto tail = begin + static_cast<std::ptrdiff_t>(tail_);
  const auto place = std::upper_bound(head, tail, e);
  if (head_ > 0 && place - head <= tail - place) {
    std::copy(head, place, head - 1);
    *(place - 1) = e;
    --head_;
    return;
  }
  const auto index = place - begin;
  if (tail_ == bottom_.size()) bottom_.resize(2 * bottom_.size());
  const auto at = bottom_.begin() + index;
  std::copy_backward(at, bottom_.begin() + static_cast<std::ptrdiff_t>(tail_),
                     bottom_.begin() + static_cast<std::ptrdiff_t>(tail_) + 1);
  *at = e;
  ++tail_;
}

// Moves other entries aside one by one, from the nearer end.
void EventQueue::insert_among_few(const Entry& e) {
  Entry* const head = bottom_.data() + head_;
  Entry* const tail = bottom_.data() + tail_;
  if (head_ > 0 && head != tail && e < head[(tail - head) / 2]) {
    Entry* place = head;
    for (; *place < e; ++place) *(place - 1) = *place;
    *(place - 1) = e;
    --head_;
  } else {
    Entry* place = tail;
    for (; place != head && e < *(place - 1); --place) *place = *(place - 1);
    *place = e;
    ++tail_;
  }
}

// Moves the bottom back into buckets finer than the one it came from.
void EventQueue::spill_bottom() {
  bottom_end_ = base_;
  for (std::size_t i = head_; i != tail_; ++i) append(bottom_[i]);
  head_ = tail_ = 0;
}

// Uses insertion sort, because one chunk has few entries.
void EventQueue::sort_few(Chunk* chunk) {
  Entry* const first = bottom_.data() + room_before;
  Entry* last = first;
  for (std::uint32_t i = 0; i < chunk->count; ++i) {
    const Entry e = chunk->entries[i];
    Entry* place = last++;
    for (; place != first && e < *(place - 1); --place) *place = *(place - 1);
    *place = e;
  }
  head_ = room_before;
  tail_ = room_before + chunk->count;
  release(chunk);
}

void EventQueue::sort_many(Chunk* chain) {
  head_ = tail_ = room_before;
  while (chain != nullptr) {
    if (tail_ + Chunk::capacity > bottom_.size()) bottom_.resize(2 * bottom_.size());
    for (std::uint32_t i = 0; i < chain->count; ++i) bottom_[tail_++] = chain->entries[i];
    release(std::exchange(chain, chain->next));
  }
  std::sort(bottom_.begin() + static_cast<std::ptrdiff_t>(head_),
            bottom_.begin() + static_cast<std::ptrdiff_t>(tail_));
}

// Fills the empty bottom from the first bucket that starts at or before `limit`, if there is one. Never moves
// base_ beyond the limit, so that events scheduled later still lie after base_.
bool EventQueue::refill(std::uint64_t limit) {
  for (;;) {
    if (used_levels_ == 0) {
      base_ = bottom_end_ = last_taken_;
      return false;
    }
    const auto level = static_cast<unsigned>(std::countr_zero(used_levels_));
    const auto digit = static_cast<unsigned>(std::countr_zero(used_digits_[level]));
    const unsigned shift = level * digit_bits;
    const std::uint64_t above = shift + digit_bits >= 64 ? 0 : ~std::uint64_t{0} << (shift + digit_bits);
    const std::uint64_t start = (base_ & above) | (std::uint64_t{digit} << shift);
    if (start > limit) return false;

    used_digits_[level] &= ~(std::uint64_t{1} << digit);
    if (used_digits_[level] == 0) used_levels_ &= ~(1U << level);
    Chunk* const bucket = std::exchange(buckets_[level * digits + digit], nullptr);
    base_ = bottom_end_ = start;
    if (bucket->next == nullptr || level == 0) {
      bottom_end_ = start + (std::uint64_t{1} << shift);
      bottom_level_ = level;
      if (bucket->next == nullptr) {
        sort_few(bucket);
      } else {
        sort_many(bucket);
      }
      return true;
    }
    split(bucket);
  }
}

void EventQueue::split(Chunk* chain) {
  const bool soon_due = chain->behind < prefetch_below_chunks;
  while (chain != nullptr) {
    if (chain->next != nullptr) prefetch(*chain->next);
    for (std::uint32_t i = 0; i < chain->count; ++i) {
      if (soon_due) prefetch(chain->entries[i]);
      append(chain->entries[i]);
    }
    release(std::exchange(chain, chain->next));
  }
}

// Removes all stale entries.
void EventQueue::purge() {
  const auto kept = std::remove_if(bottom_.begin() + static_cast<std::ptrdiff_t>(head_),
                                   bottom_.begin() + static_cast<std::ptrdiff_t>(tail_),
                                   [this](const Entry& e) { return stale(e); });
  tail_ = static_cast<std::size_t>(kept - bottom_.begin());
  for (unsigned level = 0; level < levels; ++level) {
    for (std::uint64_t left = used_digits_[level]; left != 0; left &= left - 1) {
      const auto digit = static_cast<unsigned>(std::countr_zero(left));
      used_digits_[level] &= ~(std::uint64_t{1} << digit);
      Chunk* chain = std::exchange(buckets_[level * digits + digit], nullptr);
      while (chain != nullptr) {
        for (std::uint32_t i = 0; i < chain->count; ++i) {
          if (!stale(chain->entries[i])) append(chain->entries[i]);
        }
        release(std::exchange(chain, chain->next));
      }
    }
    if (used_digits_[level] == 0) used_levels_ &= ~(1U << level);
  }
  stale_ = 0;
}

}  // namespace jostle::sim
