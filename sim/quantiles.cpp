// A bin is given by the leading bits of a double: sign, exponent and 10 bits of mantissa. So each bin is
// 2^-10 wide relative to its lower edge, and its middle is within 2^-11 of any number in it.
#include "sim/quantiles.hpp"

#include <bit>
#include <boost/sort/spreadsort/float_sort.hpp>
#include <utility>

namespace jostle::sim {
namespace {

constexpr unsigned dropped_bits = 52 - 10;

// The bin of x. It increases with x; negative numbers mirror positive ones, starting with -1 next to 0.
[[nodiscard]] std::int64_t bin_of(double x) {
  const auto bin = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::fabs(x)) >> dropped_bits);
  return std::signbit(x) && x != 0 ? -1 - bin : bin;
}

[[nodiscard]] double middle_of(std::int64_t bin) {
  if (bin < 0) return -middle_of(-1 - bin);
  if (bin == 0) return 0;
  const auto edge = static_cast<std::uint64_t>(bin) << dropped_bits;
  return std::bit_cast<double>(edge | (std::uint64_t{1} << (dropped_bits - 1)));
}

}  // namespace

// Called for each number beyond the first `exact_up_to_`.
void Quantiles::add_to_histogram(double x) {
  for (const double number : std::exchange(numbers_, {})) into_histogram(number);
  into_histogram(x);
}

void Quantiles::clear() {
  *this = Quantiles{exact_up_to_};
}

void Quantiles::into_histogram(double x) {
  ++histogram_[bin_of(x)];
}

std::optional<double> Quantiles::mean() const {
  if (count_ == 0) return std::nullopt;
  return sum_ / static_cast<double>(count_);
}

double Quantiles::ranked(std::size_t rank) const {
  if (exact()) return numbers_[rank];
  std::size_t passed = 0;
  for (const auto& [bin, many] : histogram_) {
    passed += many;
    if (rank < passed) return middle_of(bin);
  }
  return middle_of(histogram_.rbegin()->first);
}

const std::vector<double>& Quantiles::sorted() const {
  if (!sorted_) {
    boost::sort::spreadsort::float_sort(numbers_.begin(), numbers_.end());
    sorted_ = true;
  }
  return numbers_;
}

std::optional<double> Quantiles::quantile(double p) const {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("Quantiles: p must be in [0, 1]");
  if (count_ == 0) return std::nullopt;
  (void)sorted();
  const double position = p * static_cast<double>(count_ - 1);
  const auto below = static_cast<std::size_t>(position);
  const double low = ranked(below);
  if (below + 1 >= count_) return low;
  return low + (position - static_cast<double>(below)) * (ranked(below + 1) - low);
}

}  // namespace jostle::sim
