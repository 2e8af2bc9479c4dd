// The workload of every contestant: the same pre-drawn times, so that no generator is in the loop.
//
// Hold model: n timers pending; when one fires, it is set again after the next pre-drawn increment
// (exponential, mean 10^9 ticks; a tick is whatever the contestant counts in).
// Cancel model: the same, and each time one fires another (pre-drawn) is cancelled and set anew.
// C++17, because ns-3's headers are.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace bench {

constexpr double mean_increment = 1e9;  // ticks

// A repeating sequence of pre-drawn numbers; 2^16 of them stay in the second-level cache.
template <class T>
class Drawn {
 public:
  explicit Drawn(std::vector<T> numbers) : numbers_(std::move(numbers)) {}
  T next() { return numbers_[index_++ & (numbers_.size() - 1)]; }

 private:
  std::vector<T> numbers_;
  std::size_t index_ = 0;
};

constexpr std::size_t drawn_count = std::size_t{1} << 16U;

// Exponential increments in ticks, at least 1.
inline Drawn<std::int64_t> increments() {
  std::mt19937_64 generator{12345};
  std::vector<std::int64_t> numbers(drawn_count);
  for (std::int64_t& number : numbers) {
    const double u = (static_cast<double>(generator() >> 11U) + 0.5) * 0x1p-53;
    number = 1 + static_cast<std::int64_t>(-std::log(u) * mean_increment);
  }
  return Drawn<std::int64_t>{std::move(numbers)};
}

// The timers to cancel, out of n.
inline Drawn<std::size_t> victims(std::size_t n) {
  std::mt19937_64 generator{54321};
  std::vector<std::size_t> numbers(drawn_count);
  for (std::size_t& number : numbers) number = static_cast<std::size_t>(generator() % n);
  return Drawn<std::size_t>{std::move(numbers)};
}

// Ticks in which about `events` of n timers fire.
inline std::int64_t window(std::size_t n, std::int64_t events) {
  return static_cast<std::int64_t>(static_cast<double>(events) * mean_increment / static_cast<double>(n));
}
constexpr std::int64_t events_per_window = 200'000;

}  // namespace bench
