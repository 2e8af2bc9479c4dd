#include "models/memory/spec.hpp"

#include <algorithm>
#include <cstddef>

namespace jostle::memory {
namespace {

double efficiency_at(const Spec& spec, double clock_hz) {
  const std::vector<double>& clocks = spec.clock_table_hz;
  const std::vector<double>& reached = spec.clock_efficiency;
  if (reached.empty() || reached.size() != clocks.size()) return 1;
  const auto above = std::ranges::upper_bound(clocks, clock_hz);
  if (above == clocks.begin()) return reached.front();
  if (above == clocks.end()) return reached.back();
  const auto i = static_cast<std::size_t>(above - clocks.begin());
  const double part = (clock_hz - clocks[i - 1]) / (clocks[i] - clocks[i - 1]);
  return reached[i - 1] + part * (reached[i] - reached[i - 1]);
}

}  // namespace

double relative_bandwidth(const Spec& spec, double clock_hz) {
  if (spec.max_clock_hz <= 0) return 1;
  return clock_hz / spec.max_clock_hz * efficiency_at(spec, clock_hz);
}

}  // namespace jostle::memory
