// Changes that make limits hold that the scenario misses: single ones, and pairs where none does.
#pragma once

#include <string>
#include <vector>

#include "analyses/explain/explain.hpp"

namespace jostle::analyses {

// A limit on the metric of an entry of the scenario, or of the board.
struct EntryLimit {
  Aim aim;
  double limit = 0;
  bool least = false;  // true: the limit is the least value
};
// All limits of the scenario, those on every process for each entry; empty if `before` meets them.
[[nodiscard]] std::vector<EntryLimit> missed_limits(const scenarios::Scenario& scenario,
                                                    const scenarios::Result& before);
// How far a change is from the limit that it is nearest to, relative to it; negative if it misses one. None
// if a process does not keep up, or if a value is not known.
[[nodiscard]] scenarios::Metric room_of(const std::vector<EntryLimit>& limits, const Tried& tried,
                                        const scenarios::Scenario& scenario, const scenarios::Result& before);

// Pairs of changes that one can make, of different kinds or of two stages: of the six, one of each kind but
// stages, that come nearest to the limits.
// The second change of a pair is one of the first changed scenario.
[[nodiscard]] std::vector<WhatIf> pairs_of(const std::vector<Tried>& tried, const std::string& directory);

// "; met with A (p99 -40 %), or with B (p99 -30 %)", or that nothing that was tried meets them.
[[nodiscard]] std::string reach_words(const std::vector<Tried>& tried);

}  // namespace jostle::analyses
