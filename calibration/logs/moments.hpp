// Mean and standard deviation of a stream of values (Welford 1962; merged after Chan et al. 1979).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace jostle::calibration {

struct Moments {
  std::int64_t count = 0;
  double mean = 0, squares = 0;  // squares: sum of squared distances from the mean

  void add(double value) {
    ++count;
    const double distance = value - mean;
    mean += distance / static_cast<double>(count);
    squares += distance * (value - mean);
  }
  void add(const Moments& other) {
    if (other.count == 0) return;
    const double n = static_cast<double>(count), m = static_cast<double>(other.count);
    const double distance = other.mean - mean;
    mean += distance * m / (n + m);
    squares += other.squares + distance * distance * n * m / (n + m);
    count += other.count;
  }
  // Sample standard deviation; absent for a single value.
  [[nodiscard]] std::optional<double> sd() const {
    return count > 1 ? std::optional(std::sqrt(squares / static_cast<double>(count - 1))) : std::nullopt;
  }
};

}  // namespace jostle::calibration
