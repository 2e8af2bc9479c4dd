// Quantiles of a stream of numbers: exact for few numbers, from a logarithmic histogram for many.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

namespace jostle::sim {

class Quantiles {
 public:
  // Upper bound of the relative error once there are more than `exact_up_to` numbers.
  static constexpr double relative_error = 0.0005;

  explicit Quantiles(std::size_t exact_up_to = 1'000'000) : exact_up_to_(exact_up_to) {}

  // Adds any finite number.
  void add(double x) {
    if (!std::isfinite(x)) throw std::invalid_argument("Quantiles: a number must be finite");
    ++count_;
    sum_ += x;
    if (count_ > exact_up_to_) return add_to_histogram(x);
    sorted_ = sorted_ && (numbers_.empty() || numbers_.back() <= x);
    numbers_.push_back(x);
  }
  // Discards the numbers so far (end of the warm-up).
  void clear();

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool exact() const { return histogram_.empty(); }
  [[nodiscard]] std::optional<double> mean() const;
  // The numbers in ascending order, while they are exact.
  [[nodiscard]] const std::vector<double>& sorted() const;
  // The p-quantile, p in [0, 1], interpolated between the neighbouring numbers (numpy's default, type 7).
  // Undefined without numbers.
  [[nodiscard]] std::optional<double> quantile(double p) const;

 private:
  void add_to_histogram(double x);
  void into_histogram(double x);
  [[nodiscard]] double ranked(std::size_t rank) const;

  std::size_t exact_up_to_;
  std::size_t count_ = 0;
  double sum_ = 0;
  // Sorted up to sorted_. quantile() sorts the rest; that is not visible from outside.
  mutable std::vector<double> numbers_;
  mutable bool sorted_ = true;
  std::map<std::int64_t, std::uint64_t> histogram_;  // bin → count
};

}  // namespace jostle::sim
