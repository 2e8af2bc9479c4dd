#include "sim/batch_means.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "sim/math.hpp"

namespace jostle::sim {
namespace {

// Numbers of pairs of frequencies to fit: the maximum of Heidelberger and Welch, and the minimum for a
// quadratic.
constexpr std::size_t most_pairs = 25, fewest_pairs = 12;
// The logarithm of the mean of two periodogram values, distributed like a chi-square number of 4 degrees of
// freedom over 4: minus its mean, and its variance.
constexpr double log_bias = 0.270, log_variance = 0.645;

// The cosine for 0 <= x <= pi, to 1e-15: by its series, above pi / 2 mirrored.
double cosine(double x) {
  if (x > std::numbers::pi / 2) return -cosine(std::numbers::pi - x);
  double term = 1, sum = 1;
  for (int i = 2; i <= 24; i += 2) {
    term *= -x * x / (i * (i - 1));
    sum += term;
  }
  return sum;
}

// The periodogram of the deviations, at 1, 2 ... `count` periods over the whole series (Goertzel). The steps
// for one frequency wait for each other, so several frequencies are computed side by side.
std::vector<double> periodogram(const std::vector<double>& deviations, std::size_t count) {
  constexpr std::size_t together = 8;
  const auto n = static_cast<double>(deviations.size());
  std::vector<double> powers;
  for (std::size_t first = 1; first <= count; first += together) {
    std::array<double, together> twice{}, last{}, before{};
    for (std::size_t i = 0; i < together; ++i)
      twice[i] = 2 * cosine(2 * std::numbers::pi * static_cast<double>(std::min(first + i, count)) / n);
    for (const double x : deviations) {
      for (std::size_t i = 0; i < together; ++i) {
        const double next = x + twice[i] * last[i] - before[i];
        before[i] = last[i];
        last[i] = next;
      }
    }
    for (std::size_t i = 0; i < together && first + i <= count; ++i)
      powers.push_back((last[i] * last[i] + before[i] * before[i] - twice[i] * last[i] * before[i]) / n);
  }
  return powers;
}

struct AtZero {
  double value = 0, variance = 0;
};

// The least-squares quadratic through points of equal variance, evaluated at x = 0.
AtZero quadratic_at_zero(const std::vector<double>& x, const std::vector<double>& y) {
  std::array<double, 5> powers{};   // sums of x^i
  std::array<double, 3> moments{};  // sums of x^i y
  for (std::size_t j = 0; j < x.size(); ++j) {
    double power = 1;
    for (std::size_t i = 0; i < powers.size(); ++i, power *= x[j]) {
      powers[i] += power;
      if (i < moments.size()) moments[i] += power * y[j];
    }
  }
  const auto& [s0, s1, s2, s3, s4] = powers;
  // The first row of the inverse of the normal matrix, by its cofactors.
  const std::array<double, 3> cofactors{s2 * s4 - s3 * s3, s2 * s3 - s1 * s4, s1 * s3 - s2 * s2};
  const double determinant = s0 * cofactors[0] + s1 * cofactors[1] + s2 * cofactors[2];
  AtZero at_zero{.value = 0, .variance = cofactors[0] / determinant};
  for (std::size_t i = 0; i < moments.size(); ++i) at_zero.value += cofactors[i] * moments[i] / determinant;
  return at_zero;
}

// Half the width of the 95 % interval of the numbers' mean, from their spectrum at frequency zero
// (Heidelberger and Welch 1981): a quadratic is fitted to the logarithm of the periodogram's lowest
// frequencies and evaluated at zero. Undefined with fewer than 48 numbers, or if they do not vary.
//
// It is for numbers of negative correlation, like the batches of a closed loop, in which a slow one is
// followed by a fast one. Their spectrum falls towards zero, and batch means would have to be as long as the
// run to show that.
std::optional<double> spectral_half_width(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  const std::size_t pairs = std::min(numbers.size() / 4, most_pairs);
  if (pairs < fewest_pairs) return std::nullopt;
  double mean = 0;
  for (const double x : numbers) mean += x / n;
  std::vector<double> deviations;
  for (const double x : numbers) deviations.push_back(x - mean);
  const std::vector<double> powers = periodogram(deviations, 2 * pairs);
  std::vector<double> frequencies, logarithms;
  for (std::size_t j = 1; j <= pairs; ++j) {
    const double power = (powers[2 * j - 2] + powers[2 * j - 1]) / 2;
    if (!(power > 0)) return std::nullopt;
    frequencies.push_back((4 * static_cast<double>(j) - 1) / (2 * n));
    logarithms.push_back(log(power) + log_bias);
  }
  const AtZero fitted = quadratic_at_zero(frequencies, logarithms);
  const double variance = log_variance * fitted.variance;
  // The value at zero is lognormal: its bias is removed, and its variance gives the degrees of freedom.
  const double at_zero = exp(fitted.value - variance / 2);
  const double freedom = 2 / (exp(variance) - 1);
  return student_t_95(static_cast<std::size_t>(std::max(freedom, 1.0))) * std::sqrt(at_zero / n);
}

// Batches are merged while the lag-1 autocorrelation of their means is above this. At 0.1 the interval is a
// few percent too narrow at most (the variance of the mean is off by a factor of about 1 + 2 × 0.1), and 64
// uncorrelated batches reach 0.1 by chance.
constexpr double tolerated_correlation = 0.1;

// The lower limit of the autocorrelation. Negative correlation (a slow batch is followed by a fast one, as in
// a closed loop) makes the interval too wide, so batches are also merged below this limit, which uncorrelated
// batches pass by chance in one case of ten.
double tolerated_negative(std::size_t batches) {
  return -1.28 / std::sqrt(static_cast<double>(batches));
}

[[nodiscard]] double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

[[nodiscard]] double square_deviations(const std::vector<double>& x, double mean) {
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return sum;
}

[[nodiscard]] double lag_1_autocorrelation(const std::vector<double>& x) {
  const double mean = mean_of(x);
  const double squares = square_deviations(x, mean);
  if (squares <= 0) return 0;
  double products = 0;
  for (std::size_t i = 1; i < x.size(); ++i) products += (x[i] - mean) * (x[i - 1] - mean);
  return products / squares;
}

// Estimate of the skewness of the distribution that the numbers are a sample of (the adjusted coefficient of
// Fisher and Pearson). It needs at least three numbers.
[[nodiscard]] double skewness(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const double mean = mean_of(x), variance = square_deviations(x, mean) / n;
  if (variance <= 0) return 0;
  double cubes = 0;
  for (const double v : x) cubes += (v - mean) * (v - mean) * (v - mean);
  return cubes / n / (variance * std::sqrt(variance)) * std::sqrt(n * (n - 1)) / (n - 2);
}

double cube_root(double x) {
  return x == 0 ? 0 : std::copysign(exp(log(std::fabs(x)) / 3), x);
}

// The t value of skewed numbers that corresponds to `t` of a symmetric sample; `skew`: their skewness over
// the square root of their count (the inverse of Hall's cubic).
[[nodiscard]] double skewed(double t, double skew) {
  constexpr double none = 1e-6;
  if (std::fabs(skew) < none) return t;
  return 3 / skew * (cube_root(1 + skew * (t - skew / 6)) - 1);
}

[[nodiscard]] std::vector<double> merge_pairs(const std::vector<double>& x, double factor) {
  std::vector<double> merged;
  merged.reserve(x.size() / 2);
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) merged.push_back(factor * (x[i] + x[i + 1]));
  return merged;
}

}  // namespace

double student_t_95(std::size_t degrees_of_freedom) {
  // A table of Student's t, column 0.975.
  static constexpr std::array<double, 30> table = {
      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
      2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees_of_freedom == 0) throw std::invalid_argument("student_t_95: no degrees of freedom");
  if (degrees_of_freedom <= table.size()) return table[degrees_of_freedom - 1];
  // Cornish–Fisher expansion about the normal quantile; accurate to 1e-5 from 30 degrees of freedom on.
  constexpr double z = 1.959963984540054;
  constexpr double first = (z * z * z + z) / 4;
  constexpr double second = (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / 96;
  const auto n = static_cast<double>(degrees_of_freedom);
  return z + first / n + second / (n * n);
}

void BatchMeans::close_batch() {
  batch_sums_.push_back(open_sum_);
  open_sum_ = 0;
  open_count_ = 0;
  if (batch_sums_.size() < max_kept) return;
  batch_sums_ = merge_pairs(batch_sums_, 1);
  batch_size_ *= 2;
}

BatchMeans BatchMeans::of_share(const std::vector<double>& numbers, double limit) {
  BatchMeans means;
  means.count_ = numbers.size();
  while (numbers.size() / means.batch_size_ >= max_kept) means.batch_size_ *= 2;
  for (std::size_t first = 0; first < numbers.size(); first += means.batch_size_) {
    const std::size_t end = std::min<std::size_t>(first + means.batch_size_, numbers.size());
    std::size_t inside = 0;
    for (std::size_t i = first; i < end; ++i) inside += numbers[i] <= limit ? 1 : 0;
    means.sum_ += static_cast<double>(inside);
    if (end - first == means.batch_size_) {
      means.batch_sums_.push_back(static_cast<double>(inside));
    } else {
      means.open_sum_ = static_cast<double>(inside);
      means.open_count_ = end - first;
    }
  }
  return means;
}

std::optional<double> BatchMeans::mean() const {
  if (count_ == 0) return std::nullopt;
  return sum_ / static_cast<double>(count_);
}

BatchMeans::Batches BatchMeans::few() const {
  Batches batches{batch_sums_, batch_size_};
  for (double& sum : batches.means) sum /= static_cast<double>(batch_size_);
  while (batches.means.size() >= max_batches) {
    batches.means = merge_pairs(batches.means, 0.5);
    batches.size *= 2;
  }
  return batches;
}

BatchMeans::Batches BatchMeans::uncorrelated() const {
  Batches batches = few();
  while (batches.means.size() >= 2 * fewest_batches) {
    const double correlation = lag_1_autocorrelation(batches.means);
    if (correlation <= tolerated_correlation && correlation >= tolerated_negative(batches.means.size()))
      break;
    batches.means = merge_pairs(batches.means, 0.5);
    batches.size *= 2;
  }
  return batches;
}

std::size_t BatchMeans::batches() const {
  return uncorrelated().means.size();
}
std::uint64_t BatchMeans::batch_size() const {
  return uncorrelated().size;
}

// Half the width of the spectral interval. Undefined unless the correlation is negative.
std::optional<double> BatchMeans::spectral_half() const {
  const std::vector<double> means = few().means;
  if (means.size() < 2 * fewest_batches) return std::nullopt;
  if (lag_1_autocorrelation(means) >= tolerated_negative(means.size())) return std::nullopt;
  const std::optional<double> of_sums = spectral_half_width(batch_sums_);
  return of_sums ? std::optional(*of_sums / static_cast<double>(batch_size_)) : std::nullopt;
}

double BatchMeans::half_width(const std::vector<double>& means) const {
  const auto n = static_cast<double>(means.size());
  const double variance = square_deviations(means, mean_of(means)) / (n - 1);
  // The mean of batches that are still correlated varies like that of an autoregressive process of first
  // order.
  const double left = std::clamp(lag_1_autocorrelation(means), 0.0, 0.7);
  const double half = student_t_95(means.size() - 1) * std::sqrt(variance / n * (1 + left) / (1 - left));
  return std::min(half, spectral_half().value_or(half));
}

std::optional<Interval> BatchMeans::ci95() const {
  if (batch_sums_.size() < fewest_batches) return std::nullopt;
  const double centre = sum_ / static_cast<double>(count_), half = half_width(uncorrelated().means);
  return Interval{centre - half, centre + half};
}

std::optional<Interval> BatchMeans::ci95_of_times() const {
  if (batch_sums_.size() < fewest_batches) return std::nullopt;
  const std::vector<double> means = uncorrelated().means;
  const double centre = sum_ / static_cast<double>(count_), t = student_t_95(means.size() - 1);
  const double error = half_width(means) / t;
  const double skew =
      std::max(skewness(means) / std::sqrt(static_cast<double>(means.size())), 3 * error / std::fabs(centre));
  return Interval{centre - error * skewed(t, skew), centre - error * skewed(-t, skew)};
}

std::optional<double> BatchMeans::relative_half_width() const {
  const std::optional<Interval> interval = ci95();
  if (!interval || sum_ == 0) return std::nullopt;
  return (interval->high - interval->low) / 2 / std::fabs(sum_ / static_cast<double>(count_));
}

// Welford's update, with the deviations from the old and the new mean, so that no digits are lost.
void Straying::add(double at_s) {
  ++count_;
  const double from_mean = at_s - mean_at_;
  mean_at_ += from_mean / count_;
  at_at_ += from_mean * (at_s - mean_at_);
  at_count_ += (at_s - mean_at_) * count_ / 2;  // the mean of 1 ... n - 1 is n / 2 below n
}

double Straying::seconds() const {
  if (count_ < 3) return 0;
  const double count_count = count_ * (count_ * count_ - 1) / 12;
  return std::sqrt(std::max(at_at_ - at_count_ * at_count_ / count_count, 0.0) / count_);
}

void RateMeans::add(Time at, double amount) {
  const Time from = last_.value_or(Time::zero());
  last_gap_ = to_seconds(at - from);
  if (last_) {
    alone_ = false;
    longest_gap_ = std::max(longest_gap_, last_gap_);
    gaps_.add(last_gap_);
    straying_.add(to_seconds(at - begun_));
  }
  amount_ += from < begun_ && from < at ? amount * to_seconds(at - begun_) / to_seconds(at - from) : amount;
  last_amount_ = amount;
  last_ = at;
}

void RateMeans::clear(Time at) {
  if (alone_) last_gap_ = 0;
  gaps_.clear();
  straying_.clear();
  amount_ = 0;
  longest_gap_ = 0;
  begun_ = at;
}

double RateMeans::expected_gap() const {
  return gaps_.mean().value_or(last_gap_);
}

std::optional<double> RateMeans::amount(Time now) const {
  const double expected = expected_gap();
  if (!last_ || expected <= 0) return std::nullopt;
  const double under_way = to_seconds(now - std::max(*last_, begun_));
  return amount_ + last_amount_ * under_way / std::max(expected, to_seconds(now - *last_));
}

std::optional<double> RateMeans::mean(Time now) const {
  const std::optional<double> sum = amount(now);
  if (!sum || now <= begun_) return std::nullopt;
  return *sum / to_seconds(now - begun_);
}

bool RateMeans::stalled(Time now) const {
  const double since = last_ ? to_seconds(now - *last_) : 0;
  return expected_gap() > 0 && since > 10 * expected_gap() && since > 2 * longest_gap_;
}

std::optional<Interval> RateMeans::ci95(Time now, bool saturated) const {
  const std::optional<Interval> gap = gaps_.ci95();
  const std::optional<double> rate = mean(now);
  if (!gap || gap->low <= 0 || !rate || stalled(now)) return std::nullopt;
  const double centre = *gaps_.mean();
  const double variation = saturated ? 0 : source_variation_;
  // The measured time begins and ends anywhere between service quanta. Both ends deviate as much as the
  // quanta do, perhaps in the same direction.
  const double ends = 1.96 * 2 * straying_.seconds() / to_seconds(now - begun_);
  const double least = 1 + std::max(1.96 * variation / std::sqrt(static_cast<double>(gaps_.count())), ends);
  return Interval{*rate / std::max(gap->high / centre, least), *rate * std::max(centre / gap->low, least)};
}

std::optional<double> RateMeans::relative_half_width(Time now, bool saturated) const {
  const std::optional<Interval> interval = ci95(now, saturated);
  if (!interval) return std::nullopt;
  return (interval->high - interval->low) / 2 / *mean(now);
}

}  // namespace jostle::sim
