// Changes that make a limit hold that the scenario misses: single ones, and pairs where none does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/explain/explain.hpp"

namespace jostle::analyses {

// The limit of the scenario that is missed most.
struct MissedLimit {
  Aim aim;  // its metric
  double limit = 0;
  bool least = false;  // true: the limit is the least value
  // How far the value after a change is from the limit, relative to it; negative if it misses it. None if
  // a process does not keep up, or without a value.
  [[nodiscard]] scenarios::Metric room(const scenarios::Metric& value) const;
};
// None if the verdict of `before` is not that a limit is missed.
[[nodiscard]] std::optional<MissedLimit> missed_limit(const scenarios::Scenario& scenario,
                                                      const scenarios::Result& before);

// Pairs of changes of different kinds that one can make: of the five kinds that come nearest to the limit.
// The second change of a pair is one of the first changed scenario.
[[nodiscard]] std::vector<WhatIf> pairs_of(const std::vector<Tried>& tried, const std::string& directory);

// "; met with A (p99 -40 %) or B (p99 -30 %)", or that nothing that was tried meets it.
[[nodiscard]] std::string reach_words(const std::vector<Tried>& tried);

}  // namespace jostle::analyses
