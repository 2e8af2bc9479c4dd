#include "calibration/probe/working_set.hpp"

#include <algorithm>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr std::size_t page_bytes = 4096, line_bytes = 64;
constexpr std::size_t words_a_line = line_bytes / sizeof(std::uint64_t);
constexpr int passes_of_refill = 3, warm_passes = 5;

}  // namespace

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
