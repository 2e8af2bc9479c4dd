#include "profiles/profile/time_span.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/units.hpp"

namespace jostle::profiles {

std::optional<sim::Duration> TimeSpan::operator()(const input::Cursor& at) const {
  // The largest double below 2^63 picoseconds; a larger one cannot be converted.
  constexpr double representable = 9.2233720368547748e18;
  const double limit = std::min(static_cast<double>(most.ps()), representable);
  const input::Quantity quantity{input::time_dimension(), static_cast<double>(least.ps()), limit,
                                 above_least};
  const std::optional<double> value = quantity(at);
  if (!value) return std::nullopt;
  const sim::Duration span = sim::picoseconds(*value);
  if (above_least && span <= least) {  // rounded down to the limit
    at.problem(fmt::format("'{}' is less than a picosecond", input::printable(at.value().text)));
    return std::nullopt;
  }
  return span;
}

}  // namespace jostle::profiles
