#include "models/gpu/retimed.hpp"

#include <algorithm>

#include "models/gpu/clocks.hpp"

namespace jostle::gpu {
namespace {
constexpr std::size_t kept = 4;
}

const KernelSequence& RetimedKernels::at(const KernelSequence& given, const Rates& rates) {
  if (rates.clock == 1 && rates.memory == 1) return given;
  ++calls_;
  for (Entry& entry : entries_) {
    if (entry.given != &given || entry.rates != rates) continue;
    entry.asked = calls_;
    return entry.made;
  }
  entries_.reserve(kept);
  Entry& entry = entries_.size() < kept
                     ? entries_.emplace_back()
                     : *std::min_element(entries_.begin(), entries_.end(),
                                         [](const Entry& a, const Entry& b) { return a.asked < b.asked; });
  entry.given = &given;
  entry.rates = rates;
  entry.asked = calls_;
  at_clocks(given, rates, entry.made);
  return entry.made;
}

}  // namespace jostle::gpu
