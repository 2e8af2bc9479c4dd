#include "calibration/probe/refill_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/probe/clock.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr int refill_rounds = 4;

std::string size_name(std::size_t bytes) {
  return bytes >= 1024 * 1024 ? fmt::format("{}_MiB", bytes / 1024 / 1024)
                              : fmt::format("{}_KiB", bytes / 1024);
}

// The medians of the rounds of one size, and how many samples are behind them.
struct SizeRounds {
  std::vector<double> medians, errors;
  std::size_t samples = 0;

  void add(const std::vector<double>& round) {
    if (round.size() < 3) return;
    const Summary found = median_of(round);
    medians.push_back(found.value);
    errors.push_back(found.relative_sd);
    samples += round.size();
  }
  // The mean of the rounds. Its error is that between them, or that within them if it is larger.
  [[nodiscard]] Summary summary() const {
    Summary found = mean_of(medians);
    found.relative_sd = std::max(found.relative_sd, median(errors) / 2);
    found.samples = samples;
    return found;
  }
};

constexpr double least_ms = 0.002, most_ms = 30, step = 1.02;

// The best whole for a time constant, and the sum of squares that is left.
struct WholeFit {
  double whole = 0, squares = 0;
};
WholeFit fit_whole(const std::vector<LossPoint>& points, double constant_ms, std::size_t without) {
  double above = 0, below = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == without) continue;
    const double ratio = (1 - std::exp(-points[i].ms / constant_ms)) / points[i].debt;
    above += ratio;
    below += ratio * ratio;
  }
  WholeFit found{.whole = above / below};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == without) continue;
    const double residual = found.whole * (1 - std::exp(-points[i].ms / constant_ms)) / points[i].debt - 1;
    found.squares += residual * residual;
  }
  return found;
}

// The best time constant of the points without one of them; an index beyond them leaves none out.
double best_constant(const std::vector<LossPoint>& points, std::size_t without) {
  double best = least_ms;
  for (double constant = least_ms; constant <= most_ms; constant *= step)
    if (fit_whole(points, constant, without).squares < fit_whole(points, best, without).squares)
      best = constant;
  return best;
}

constexpr std::size_t page_bytes = 4096, line_bytes = 64;
constexpr std::size_t words_a_line = line_bytes / sizeof(std::uint64_t);
constexpr int passes_of_refill = 3, warm_passes = 5;

}  // namespace

std::optional<Summary> measure_refills(const CpuBench& bench, const RefillSweep& sweep, Outcome& outcome) {
  const std::vector<std::size_t> sizes = working_sets(bench.session.quick);
  std::vector<SizeRounds> found(sizes.size());
  std::vector<double> of_full;  // a round each
  for (int round = 0; round < refill_rounds; ++round) {
    std::vector<double> filled, us;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (bench.session.interrupted) return std::nullopt;
      bench.session.progress(0.6, fmt::format("{}, {}", sweep.what, size_name(sizes[i])));
      const auto samples = sweep.sample(sizes[i], sweep.seconds / refill_rounds);
      found[i].add(samples);
      const double part = sweep.cache_bytes > 0 ? static_cast<double>(sizes[i]) / sweep.cache_bytes : 0;
      if (samples.size() < 3 || part < 0.12 || part > 1.01) continue;
      filled.push_back(part);
      us.push_back(median(samples));
    }
    if (!filled.empty()) of_full.push_back(ratio_of(filled, us).value);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (!found[i].medians.empty())
      add(outcome, sweep.seen + size_name(sizes[i]), found[i].summary(), "us", sweep.how);
  if (of_full.empty()) return std::nullopt;
  return mean_of(of_full);
}

double LossLaw::lost(double ms) const {
  return 1 - std::exp(-ms / time_constant_ms.value);
}

std::optional<LossLaw> fit_loss_law(const std::vector<LossPoint>& points) {
  if (points.size() < 4 || std::ranges::any_of(points, [](const LossPoint& at) { return !(at.debt > 0); }))
    return std::nullopt;
  LossLaw law;
  const double best = best_constant(points, points.size());
  if (best <= least_ms * step || best >= most_ms / step) return std::nullopt;
  law.whole = fit_whole(points, best, points.size()).whole;
  const auto n = static_cast<double>(points.size());
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double moved = std::log(best_constant(points, i) / best);
    squares += moved * moved;
  }
  // The jackknife's variance of the logarithm; a step of the search is the least that is known.
  law.time_constant_ms = {best, std::max(std::sqrt((n - 1) / n * squares), step - 1), points.size()};
  return law;
}

WorkingSet::WorkingSet(std::size_t bytes)
    : words_(std::max(bytes, page_bytes) / sizeof(std::uint64_t), 1),
      words_a_page_(page_bytes / sizeof(std::uint64_t)) {
  for (std::size_t word = 0; word + words_a_page_ <= words_.size(); word += words_a_page_)
    pages_.push_back(static_cast<std::uint32_t>(word));
  std::uint64_t state = 88172645463325252U;  // xorshift: the order is the same on every machine
  for (std::size_t i = pages_.size(); i > 1; --i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    std::swap(pages_[i - 1], pages_[state % i]);
  }
}

void WorkingSet::pass() {
  std::uint64_t sum = words_[pages_.back()];
  for (const std::uint32_t page : pages_)
    for (std::size_t word = page; word < page + words_a_page_; word += words_a_line) {
      sum += words_[word];
      words_[word] = sum;
    }
}

std::int64_t WorkingSet::timed_pass() {
  const std::int64_t begin = now_ns();
  pass();
  return now_ns() - begin;
}

std::vector<std::size_t> working_sets(bool quick) {
  std::vector<std::size_t> sizes;
  for (std::size_t kib = 16; kib <= 8192; kib *= quick ? 4 : 2) sizes.push_back(kib * 1024);
  return sizes;
}

double warm_pass_ns(WorkingSet& set) {
  set.pass();
  std::vector<double> times;
  for (int i = 0; i < warm_passes; ++i) times.push_back(static_cast<double>(set.timed_pass()));
  return median(std::move(times));
}

double refill_ns(WorkingSet& set, double warm_ns) {
  double longer = 0;
  for (int i = 0; i < passes_of_refill; ++i) longer += static_cast<double>(set.timed_pass()) - warm_ns;
  return longer;
}

}  // namespace jostle::calibration::probe
