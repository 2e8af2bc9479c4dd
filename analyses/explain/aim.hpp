// The metric that changes of a scenario are judged by: the first column of the table of changes, the figure
// behind each change that a sentence names, and the gain by which they are ordered.
#pragma once

#include <optional>
#include <string>

#include "scenarios/language/objective.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

struct Change;
struct Tried;

struct Aim {
  enum class Of { speed, rate, latency, objective };
  Of of = Of::speed;
  std::optional<scenarios::Objective> asked = {};
  std::string name = {};  // "p99 of front"
  std::string unit = {};  // "ms"; empty: of a ratio, or in the name
  bool more_is_better = true;
  std::string tail = {};     // name of Tried::p99_ms: "p99 of front", "worst p99"
  std::string missing = {};  // name of the scenario's objective, if the run has no value of it
};

// The scenario's objective if it names one that `before` has a value of. Otherwise the mean latency, where
// all processes have arrivals and keep up; the total of the only unit, where there is one process entry or an
// overload; else the speed: each process against itself (speed_of()).
[[nodiscard]] Aim aim_of(const scenarios::Scenario& scenario, const scenarios::Result& before);

// The metric before and after a change whose totals are known. Of an objective, rates are sums over the parts
// of the entry that it names, times are means over them. A side is absent if the metric is, for one of these
// parts, or if there are none.
[[nodiscard]] Change aim_change(const Aim& aim, const Tried& tried, const scenarios::Scenario& scenario,
                                const scenarios::Result& before);

}  // namespace jostle::analyses
