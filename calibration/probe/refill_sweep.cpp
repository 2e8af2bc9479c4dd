#include "calibration/probe/refill_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/probe/working_set.hpp"

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
      outcome.parameters.push_back(
          measured(sweep.seen + size_name(sizes[i]), found[i].summary(), "us", sweep.how));
  if (of_full.empty()) return std::nullopt;
  return mean_of(of_full);
}

}  // namespace jostle::calibration::probe
