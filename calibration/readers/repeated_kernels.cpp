#include "calibration/readers/repeated_kernels.hpp"

#include <algorithm>
#include <cstddef>

#include "calibration/readers/moments.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t most_kept = 200'000;
constexpr std::size_t fewest_batches = 3;

// The shortest period of the names (from the longest border of Knuth, Morris and Pratt); the number of names
// if there is none.
template <class Ones>
std::size_t period_of(const Ones& ones) {
  std::vector<std::size_t> border(ones.size(), 0);
  for (std::size_t i = 1, matched = 0; i < ones.size(); ++i) {
    while (matched > 0 && ones[i].name != ones[matched].name) matched = border[matched - 1];
    if (ones[i].name == ones[matched].name) ++matched;
    border[i] = matched;
  }
  return ones.empty() ? 0 : ones.size() - border.back();
}

}  // namespace

void RepeatedKernels::add(std::int64_t name, std::int64_t start, double duration) {
  if (kernels_.size() == most_kept) kernels_.erase(kernels_.begin(), kernels_.begin() + most_kept / 2);
  kernels_.push_back({name, start, duration});
}

std::vector<RepeatedKernels::Kernel> RepeatedKernels::batch() const {
  const std::vector<One> half(kernels_.begin() + static_cast<std::ptrdiff_t>(kernels_.size() / 2),
                              kernels_.end());
  const std::size_t period = period_of(half);
  if (period == 0 || half.size() < fewest_batches * period) return {};
  std::vector<Moments> times(period), pauses(period);  // pauses before each kernel
  for (std::size_t i = 1; i < half.size(); ++i) {
    times[i % period].add(half[i].duration / 1000);
    pauses[i % period].add(static_cast<double>(half[i].start - half[i - 1].start) - half[i - 1].duration);
  }
  const auto first =
      static_cast<std::size_t>(std::ranges::max_element(pauses, {}, &Moments::mean) - pauses.begin());
  std::vector<Kernel> found;
  for (std::size_t i = 0; i < period; ++i) {
    const std::size_t at = (first + i) % period;
    found.push_back({half[at].name,
                     {.metric = "layer_time",
                      .value = times[at].mean,
                      .unit = "us",
                      .sd = times[at].sd(),
                      .median = {},
                      .p90 = {},
                      .p99 = {},
                      .count = times[at].count,
                      .of = ""}});
  }
  return found;
}

}  // namespace jostle::calibration
