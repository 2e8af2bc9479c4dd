// The recent utilisation of a thread or a core, as the kernel tracks it (PELT): an average with a half-life
// of 32 ms.
#pragma once

#include <algorithm>

#include "sim/math.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

class Decaying {
 public:
  // Accounts for `level` since the last call. Utilisation of a thread: the core's capacity (0 … 1024), 0 off
  // a core. Load of a thread: 1 while it is runnable. Load of a core: the weight of its runnable threads.
  void advance(sim::Time now, double level) {
    if (now == at_) return;
    constexpr double ln2_over_half_life = 0.693147180559945309 / 32e9;  // per picosecond
    const double keep = sim::exp(-static_cast<double>((now - at_).ps()) * ln2_over_half_life);
    value_ = value_ * keep + level * (1 - keep);
    at_ = now;
  }
  void add(double value) { value_ = std::max(0.0, value_ + value); }
  void reset(sim::Time now, double value) {
    value_ = value;
    at_ = now;
  }
  [[nodiscard]] double value() const { return value_; }
  // The value that advance(now, level) would give.
  [[nodiscard]] double at(sim::Time now, double level) const {
    Decaying copy = *this;
    copy.advance(now, level);
    return copy.value_;
  }

 private:
  double value_ = 0;
  sim::Time at_;
};

// The kernel's fits_capacity: a fifth is kept free.
[[nodiscard]] constexpr bool fits(double utilisation, double capacity) {
  return utilisation * 1.25 < capacity;
}

}  // namespace jostle::cpu
