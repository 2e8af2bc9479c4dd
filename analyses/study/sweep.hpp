// Runs the points of a study side by side and stores each when it is done.
//
// Every point has the same seed (common random numbers): what differs between two of them is what was varied.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "analyses/study/check.hpp"
#include "analyses/study/profiles.hpp"
#include "analyses/study/store.hpp"

namespace jostle::analyses {

// The part of the points that is done here: one in `of`, from `index`, which counts from 0.
struct Shard {
  std::size_t index = 0, of = 1;
};

struct SweepControl {
  unsigned threads = 0;  // 0: as many as there are cores
  Shard shard;
  std::unordered_set<std::string> elsewhere;  // keys of points that are already stored in another file
  const std::atomic<bool>* interrupt = nullptr;
  // Called when points were stored, never by two threads at once: of those that were to be computed.
  std::function<void(std::size_t done, std::size_t of)> progress;
};

struct SweepSummary {
  std::size_t computed = 0, reused = 0;  // points of this shard; those that ask the same count once
  std::size_t infeasible = 0, not_supported = 0, failed = 0;  // of those computed
  bool interrupted = false;                                   // what was done is stored
};

// Runs these points, each asking something else, side by side, and puts each into the store when it is done.
// None of them is there, or of those that are not supported.
SweepSummary run_points(const Study& study, const CheckedStudy& checked, Profiles& profiles, Store& store,
                        const std::vector<std::size_t>& points, const SweepControl& control);

// Computes what the store does not have. `profiles` are those that the points were checked with.
SweepSummary sweep(const Study& study, const CheckedStudy& checked, Profiles& profiles, Store& store,
                   const SweepControl& control);

}  // namespace jostle::analyses
