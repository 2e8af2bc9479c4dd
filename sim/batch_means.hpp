// The mean of a stationary, correlated series and its confidence interval, by non-overlapping batch means.
//
// Observations are summed into batches. When there are 256 batches, neighbouring batches are merged and the
// batch size doubles, so a run of any length is described by 128 to 255 complete batches. For the interval,
// neighbouring batches are merged to fewer than 64, and further, down to 8, while the batch means are still
// correlated (von Neumann's test, two-sided: lag-1 autocorrelation beyond the range of chance). The interval
// then uses Student's t on the remaining batches. If the correlation is negative, the result is the narrower
// of this interval and the spectral one (batch_means.cpp): merging does not end such a correlation, and the
// interval would be several times too wide.
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
  static constexpr std::size_t max_kept = 256;
  static constexpr std::size_t max_batches = 64;
  static constexpr std::size_t fewest_batches = 8;

  void add(double x) {
    ++count_;
    sum_ += x;
    open_sum_ += x;
    if (++open_count_ == batch_size_) close_batch();
  }
  // The result of adding, in this order, 1 for each number up to `limit` and 0 for each other number.
  [[nodiscard]] static BatchMeans of_share(const std::vector<double>& numbers, double limit);
  // Discards the observations so far (end of the warm-up).
  void clear() { *this = {}; }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Mean of all observations, including those of the incomplete batch. Undefined without observations.
  [[nodiscard]] std::optional<double> mean() const;
  // 95 % confidence interval for the mean; undefined with fewer than 8 observations.
  [[nodiscard]] std::optional<Interval> ci95() const;
  // 95 % confidence interval for the mean of times in a queue. A run with few long times underestimates both
  // their mean and their spread, and the true mean lies above. So the interval is computed on the scale on
  // which Student's t of batches with this skewness is symmetric (Hall 1992, "On the removal of skewness by
  // transformation"), and it reaches further up. Few batches seldom show their skewness. It is therefore at
  // least that of a queue near saturation, whose error grows with the square of the mean (Whitt 1989,
  // "Planning queueing simulations"): three times the relative error.
  [[nodiscard]] std::optional<Interval> ci95_of_times() const;
  // Half the width of ci95() over the absolute value of the mean. Undefined if the interval is, or if
  // the mean is 0.
  [[nodiscard]] std::optional<double> relative_half_width() const;
  // Number of complete batches that the interval is computed from, after merging; and observations in each.
  [[nodiscard]] std::size_t batches() const;
  [[nodiscard]] std::uint64_t batch_size() const;

 private:
  struct Batches {
    std::vector<double> means;
    std::uint64_t size = 1;
  };
  void close_batch();
  [[nodiscard]] Batches few() const;  // fewer than max_batches
  [[nodiscard]] Batches uncorrelated() const;
  [[nodiscard]] std::optional<double> spectral_half() const;
  [[nodiscard]] double half_width(const std::vector<double>& means) const;  // half width of ci95()

  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::vector<double> batch_sums_;  // complete batches
  std::uint64_t batch_size_ = 1;
  double open_sum_ = 0;
  std::uint64_t open_count_ = 0;
};

// The deviation of a series of instants from a straight line: the standard deviation from the best line, in
// seconds. It is large for instants that come in bursts, however regular the bursts are.
class Straying {
 public:
  void add(double at_s);
  void clear() { *this = {}; }
  [[nodiscard]] double seconds() const;

 private:
  double count_ = 0, mean_at_ = 0, at_at_ = 0, at_count_ = 0;  // sums of squares about the means
};

// The rate of something that is delivered in service quanta (images, one batch at a time): amount over
// elapsed time.
//
// A quantum is assumed to be produced evenly since the previous one, the first one since time zero. So the
// quanta at the two ends of the measured time count in part: the first with its part inside; the unfinished
// one with the part of a mean quantum for the time so far, at most all of it.
class RateMeans {
 public:
  // `source_variation`: coefficient of variation of the times between the arrivals that the quanta answer, if
  // these are independent; 0 if there is no such source. In the long run quanta vary as much as the arrivals,
  // however evenly a busy server spaces them. So no interval is narrower than that of the arrivals, unless
  // the server is always busy (`saturated` below): then the quanta depend on the server alone.
  explicit RateMeans(double source_variation = 0) : source_variation_(source_variation) {}

  // Adds a quantum of `amount` > 0 at `at`, which is not earlier than the previous one.
  void add(Time at, double amount);
  // Discards the measurements so far: the measured time begins at `at` (the end of the warm-up; initially
  // zero).
  void clear(Time at);

  // Amount since the measured time began; undefined before the first quantum, and after it if that came
  // before the measured time and none since: its duration is not representative.
  [[nodiscard]] std::optional<double> amount(Time now) const;
  // Amount per second.
  [[nodiscard]] std::optional<double> mean(Time now) const;
  // Undefined if the next quantum is so late (stalled()) that the earlier times are not representative.
  [[nodiscard]] std::optional<Interval> ci95(Time now, bool saturated = false) const;
  [[nodiscard]] std::optional<double> relative_half_width(Time now, bool saturated = false) const;
  // True if no quantum has come for ten times the mean time and twice the longest time between quanta: the
  // source has stopped, or nearly.
  [[nodiscard]] bool stalled(Time now) const;
  [[nodiscard]] const BatchMeans& seconds_per_lump() const { return gaps_; }

 private:
  [[nodiscard]] double expected_gap() const;

  double source_variation_;
  BatchMeans gaps_;    // seconds between the quanta of the measured time
  Straying straying_;  // deviation of the quanta's instants
  double amount_ = 0;
  double last_amount_ = 0, last_gap_ = 0, longest_gap_ = 0;
  std::optional<Time> last_;
  bool alone_ = true;  // there have not been two quanta
  Time begun_;
};

}  // namespace jostle::sim
