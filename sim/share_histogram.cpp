#include "sim/share_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::sim {

void ShareHistogram::add(double share) {
  constexpr double slack = 1e-9;
  const double place = std::ceil((share - slack) * static_cast<double>(steps));
  const auto bin = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(steps)));
  ++up_to_[bin];
  sum_ += share;
  maximum_ = count_ == 0 ? share : std::max(maximum_, share);
  ++count_;
}

std::optional<double> ShareHistogram::mean() const {
  if (count_ == 0) return std::nullopt;
  return sum_ / static_cast<double>(count_);
}

std::optional<double> ShareHistogram::maximum() const {
  return count_ == 0 ? std::nullopt : std::optional(maximum_);
}

std::optional<double> ShareHistogram::quantile(double p) const {
  if (count_ == 0) return std::nullopt;
  const double wanted = std::max(std::ceil(p * static_cast<double>(count_)), 1.0);
  std::uint64_t seen = 0;
  std::size_t step = 0;
  for (; step < steps; ++step) {
    seen += up_to_[step];
    if (static_cast<double>(seen) >= wanted) break;
  }
  return static_cast<double>(step) / static_cast<double>(steps);
}

std::optional<double> ShareHistogram::at_or_below(std::size_t step) const {
  if (count_ == 0) return std::nullopt;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i <= std::min(step, steps); ++i) seen += up_to_[i];
  return static_cast<double>(seen) / static_cast<double>(count_);
}

}  // namespace jostle::sim
