// Draws that are the same on every machine: the distributions of the standard library are not, its engine is.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace jostle::scenarios::testing {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // From `low` to `high`, both included.
  int number(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return number(1, n) == 1; }
  template <typename T>
  const T& of(const std::vector<T>& values) {
    return values[engine_() % values.size()];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace jostle::scenarios::testing
