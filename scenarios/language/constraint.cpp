#include "scenarios/language/constraint.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "input/printable.hpp"
#include "input/readers.hpp"
#include "sim/time.hpp"

namespace jostle::scenarios {

MetricUnit unit_named(const std::string& name) {
  static const std::array units{
      MetricUnit{&input::energy_dimension(), 1e3, "mJ"},
      MetricUnit{&input::time_dimension(), 1.0 / static_cast<double>(sim::milliseconds(1).ps()), "ms"},
      MetricUnit{&input::time_dimension(), 1.0 / static_cast<double>(sim::microseconds(1).ps()), "us"},
      MetricUnit{&input::frequency_dimension(), 1e-6, "MHz"},
      MetricUnit{&input::size_dimension(), 1e-6, "MB"},
      MetricUnit{&input::bandwidth_dimension(), 1e-9, "GB/s"},
      MetricUnit{&input::power_dimension(), 1, "W"},
      MetricUnit{&input::temperature_dimension(), 1, "degC"},
      MetricUnit{nullptr, 1, "GB"},
      MetricUnit{nullptr, 1, "images/s"},
      MetricUnit{nullptr, 1, "tokens/s"}};
  const auto* const found = std::ranges::find(units, name, &MetricUnit::name);
  return found == units.end() ? MetricUnit{} : *found;
}

std::vector<Constraint> read_constraint_list(const input::Cursor& at, const UnitOfMetric& unit_of) {
  std::vector<Constraint> constraints;
  if (!at.is(input::Kind::mapping)) {
    at.expected("a mapping from metrics to their limits");
    return constraints;
  }
  const auto& keys = at.value().keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const input::Cursor here(at.value().children[i], at.path() + "." + input::printable(keys[i].name),
                             at.problems());
    Constraint constraint{keys[i].name, {}, {}, keys[i].location};
    const auto known = unit_of(here, keys[i].name);
    const MetricUnit unit = known.value_or(MetricUnit{});
    const auto limit = [&](const input::Cursor& value) -> std::optional<double> {
      if (unit.dimension == nullptr) return input::Real{}(value);
      const auto read = input::Quantity{*unit.dimension, std::numeric_limits<double>::lowest()}(value);
      return read ? std::optional(*read * unit.factor) : std::nullopt;
    };
    input::Mapping limits(here, "limits: {max: …}, {min: …} or both");
    const bool above = limits.optional("min", constraint.min, limit);
    const bool below = limits.optional("max", constraint.max, limit);
    if (limits.good() && !limits.has("min") && !limits.has("max"))
      here.problem("no limit", "give min, max or both");
    if (above && below && *constraint.min > *constraint.max) here.problem("min is above max");
    if (known) constraints.push_back(std::move(constraint));
  }
  return constraints;
}

}  // namespace jostle::scenarios
