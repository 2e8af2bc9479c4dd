// The mean of a stationary, correlated series and its confidence interval, by non-overlapping batch means.
//
// Observations are summed into batches. When there are 256 batches, neighbouring batches are merged and the
// batch size doubles, so a run of any length is described by 128 to 255 complete batches. For the interval,
// neighbouring batches are merged to fewer than 64, and further, down to 8, while the batch means are still
// correlated (von Neumann's test, two-sided: lag-1 autocorrelation beyond what chance gives). The interval
// then uses Student's t on the remaining batches. Where the correlation is negative it is the narrower of
// that and of the spectrum's (spectral.hpp): merging does not end such a correlation, and the interval would
// be several times too wide.
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
  // As if 1 had been added for each number up to `limit`, and 0 for each other, in this order.
  [[nodiscard]] static BatchMeans of_share(const std::vector<double>& numbers, double limit);
  // Discards the observations so far (end of the warm-up).
  void clear() { *this = {}; }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Mean of all observations, including those of the incomplete batch. Undefined without observations.
  [[nodiscard]] std::optional<double> mean() const;
  // 95 % confidence interval for the mean; undefined with fewer than 8 observations.
  [[nodiscard]] std::optional<Interval> ci95() const;
  // The same of times in a queue. A run that met few long ones finds both their mean and their spread too
  // small, and the true mean lies above: so the interval is on the scale on which Student's t of batches so
  // skewed is symmetric (Hall 1992, "On the removal of skewness by transformation"), and reaches further up.
  // Few batches seldom show how skewed they are. They are taken to be at least as skewed as those of a queue
  // near saturation, whose error grows with the square of the mean (Whitt 1989, "Planning queueing
  // simulations"): by three times the relative error.
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
  [[nodiscard]] Batches few() const;  // of fewer than max_batches
  [[nodiscard]] Batches uncorrelated() const;
  [[nodiscard]] std::optional<double> spectral_half() const;
  [[nodiscard]] double half_width(const std::vector<double>& means) const;  // of ci95()

  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::vector<double> batch_sums_;  // complete batches
  std::uint64_t batch_size_ = 1;
  double open_sum_ = 0;
  std::uint64_t open_count_ = 0;
};

// How far the instants of a row of things stray from a straight line: the standard deviation from the best
// one, in seconds. Things that come in bursts stray, however regular the bursts are.
class Straying {
 public:
  void add(double at_s);
  void clear() { *this = {}; }
  [[nodiscard]] double seconds() const;

 private:
  double count_ = 0, mean_at_ = 0, at_at_ = 0, at_count_ = 0;  // sums of squares about the means
};

// The rate of something that comes in lumps (images, one batch at a time): amount over elapsed time.
//
// A lump takes shape evenly from the one before it on, the first one from time zero. So of the lumps at the
// two ends of the measured time the part inside counts; of the one still under way as much as the mean lump
// would have by now, at most all of it.
class RateMeans {
 public:
  // `source_variation`: coefficient of variation of the times between the arrivals that the lumps answer,
  // where these are independent; 0 if there is no such source. In the long run lumps vary as much as what
  // they answer, however evenly a busy server spaces them: no interval is narrower than that, unless the
  // server is always busy (`saturated` below) and lumps follow it alone.
  explicit RateMeans(double source_variation = 0) : source_variation_(source_variation) {}

  // A lump at `at`, not earlier than the last one, of `amount` > 0.
  void add(Time at, double amount);
  // Discards what was measured so far: the measured time begins at `at` (the end of the warm-up; first at
  // zero).
  void clear(Time at);

  // Amount since the measured time began; undefined before two lumps have ever come: nobody knows what a lump
  // takes.
  [[nodiscard]] std::optional<double> amount(Time now) const;
  // Amount per second.
  [[nodiscard]] std::optional<double> mean(Time now) const;
  // Undefined where the next lump is so late (stalled()) that the times before it say nothing.
  [[nodiscard]] std::optional<Interval> ci95(Time now, bool saturated = false) const;
  [[nodiscard]] std::optional<double> relative_half_width(Time now, bool saturated = false) const;
  // Whether nothing has come for ten times as long as usual, and twice as long as ever: it has stopped, or
  // nearly.
  [[nodiscard]] bool stalled(Time now) const;
  [[nodiscard]] const BatchMeans& seconds_per_lump() const { return gaps_; }

 private:
  [[nodiscard]] double expected_gap() const;

  double source_variation_;
  BatchMeans gaps_;    // seconds between lumps of the measured time
  Straying straying_;  // of the lumps
  double amount_ = 0;
  double last_amount_ = 0, last_gap_ = 0, longest_gap_ = 0;
  std::optional<Time> last_;
  Time begun_;
};

}  // namespace jostle::sim
