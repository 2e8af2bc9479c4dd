// The mean of a stationary, correlated series and how well it is known, by non-overlapping batch means.
//
// Observations are summed into batches; when there are 64 batches, neighbours are merged and the batch size
// doubles, so between 32 and 63 complete batches describe a run of any length. For the interval, neighbours
// are merged further while the batch means still look correlated (lag-1 autocorrelation above what chance
// gives), down to 8; then Student's t on what is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/time.hpp"

namespace jostle::sim {

struct Interval {
  double low = 0;
  double high = 0;
};

// Two-sided 95 % point of Student's t, degrees of freedom ≥ 1.
[[nodiscard]] double student_t_95(std::size_t degrees_of_freedom);

class BatchMeans {
 public:
  static constexpr std::size_t max_batches = 64;
  static constexpr std::size_t fewest_batches = 8;

  void add(double x);
  // Forgets the observations so far (the warm-up).
  void clear() { *this = {}; }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Of every observation, those of the incomplete batch too. Undefined without any.
  [[nodiscard]] std::optional<double> mean() const;
  // 95 % confidence interval for the mean; undefined with fewer than 8 observations.
  [[nodiscard]] std::optional<Interval> ci95() const;
  // Half the interval over the mean's magnitude; undefined as the interval is, or if the mean is 0.
  [[nodiscard]] std::optional<double> relative_half_width() const;
  // Complete batches the interval rests on, after merging, and observations in each.
  [[nodiscard]] std::size_t batches() const;
  [[nodiscard]] std::uint64_t batch_size() const;

 private:
  struct Batches {
    std::vector<double> means;
    std::uint64_t size = 1;
  };
  [[nodiscard]] Batches uncorrelated() const;

  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::vector<double> batch_sums_;  // complete batches
  std::uint64_t batch_size_ = 1;
  double open_sum_ = 0;
  std::uint64_t open_count_ = 0;
};

// The rate of something that happens in lumps (images, a batch at a time): amount per second between the
// first and the last lump, which no window cuts.
class RateMeans {
 public:
  // A lump at `at`, not before the last one; the amount that passed since then is `amount` > 0.
  void add(Time at, double amount);
  // Forgets the past but for when the last lump was (the warm-up ends).
  void clear();

  // Amount per second; undefined before the second lump, or if no time passed.
  [[nodiscard]] std::optional<double> mean() const;
  [[nodiscard]] std::optional<Interval> ci95() const;
  [[nodiscard]] std::optional<double> relative_half_width() const;
  [[nodiscard]] const BatchMeans& seconds_per_lump() const { return gaps_; }

 private:
  BatchMeans gaps_;  // seconds between lumps
  double amount_ = 0;
  double seconds_ = 0;
  std::optional<Time> last_;
};

}  // namespace jostle::sim
