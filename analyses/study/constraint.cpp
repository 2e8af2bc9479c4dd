#include "analyses/study/constraint.hpp"

#include <limits>
#include <utility>

#include "analyses/study/metric.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"

namespace jostle::analyses {

using input::Cursor;
using input::Kind;
using input::Mapping;

std::vector<Constraint> read_constraint_list(const Cursor& at) {
  std::vector<Constraint> constraints;
  if (!at.is(Kind::mapping)) {
    at.expected("a mapping from metrics to their limits");
    return constraints;
  }
  const auto& keys = at.value().keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Cursor here(at.value().children[i], at.path() + "." + input::printable(keys[i].name),
                      at.problems());
    Constraint constraint{keys[i].name, {}, {}, keys[i].location};
    if (keys[i].name == "headroom") {
      here.problem("headroom is not a metric of results", "give it to the section: plan: {headroom: 20 %}");
      continue;
    }
    const bool known = check_metric(here, keys[i].name);
    const MetricUnit unit = metric_unit(keys[i].name);
    const auto limit = [&](const Cursor& value) -> std::optional<double> {
      if (unit.dimension == nullptr) return input::Real{}(value);
      const auto read = input::Quantity{*unit.dimension, std::numeric_limits<double>::lowest()}(value);
      return read ? std::optional(*read * unit.factor) : std::nullopt;
    };
    Mapping limits(here, "limits: {max: …}, {min: …} or both");
    const bool above = limits.optional("min", constraint.min, limit);
    const bool below = limits.optional("max", constraint.max, limit);
    if (limits.good() && !limits.has("min") && !limits.has("max"))
      here.problem("no limit", "give min, max or both");
    if (above && below && *constraint.min > *constraint.max) here.problem("min is above max");
    if (known) constraints.push_back(std::move(constraint));
  }
  return constraints;
}

}  // namespace jostle::analyses
