#include "sim/share_histogram.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace jostle::sim {
namespace JOSTLE_FILE {

TEST(ShareHistogram, knows_nothing_without_numbers) {
  const ShareHistogram empty;
  EXPECT_FALSE(empty.mean().has_value());
  EXPECT_FALSE(empty.maximum().has_value());
  EXPECT_FALSE(empty.quantile(0.5).has_value());
  EXPECT_FALSE(empty.at_or_below(500).has_value());
}

TEST(ShareHistogram, counts_a_share_at_a_step_as_at_it_though_it_was_computed) {
  ShareHistogram shares;
  shares.add(0.1 + 0.2);  // a little above 0.3
  shares.add(0.0);
  shares.add(1.0);
  EXPECT_EQ(shares.at_or_below(299), 1.0 / 3);
  EXPECT_EQ(shares.at_or_below(300), 2.0 / 3);
  EXPECT_EQ(shares.at_or_below(1000), 1.0);
  EXPECT_EQ(shares.at_or_below(0), 1.0 / 3);
}

RC_GTEST_PROP(ShareHistogram, agrees_with_sorted_numbers_to_a_step,
              (const std::vector<std::uint32_t>& drawn)) {
  RC_PRE(!drawn.empty());
  ShareHistogram histogram;
  std::vector<double> numbers;
  double sum = 0;
  for (const std::uint32_t number : drawn) {
    numbers.push_back(static_cast<double>(number % 100'003) / 100'003);
    histogram.add(numbers.back());
    sum += numbers.back();
  }
  std::ranges::sort(numbers);
  const auto count = static_cast<double>(numbers.size());
  RC_ASSERT(std::abs(histogram.mean().value() - sum / count) < 1e-12);
  RC_ASSERT(histogram.maximum() == numbers.back());
  double before = 0;
  for (std::size_t step = 0; step <= ShareHistogram::steps; step += 50) {
    const double share = histogram.at_or_below(step).value();
    const double bound = static_cast<double>(step) / ShareHistogram::steps;
    RC_ASSERT(share ==
              static_cast<double>(std::ranges::upper_bound(numbers, bound) - numbers.begin()) / count);
    RC_ASSERT(share >= before);
    before = share;
  }
  RC_ASSERT(before == 1.0);
  for (const double p : {0.05, 0.5, 0.95, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::max(std::ceil(p * count), 1.0)) - 1;
    const double above = histogram.quantile(p).value() - numbers[rank];
    RC_ASSERT(above >= -1e-12 && above <= 1.0 / ShareHistogram::steps);
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
