// Runs the points of a study in parallel and stores each when it is done.
//
// All points use the same seed (common random numbers), so that differences between them come from the varied
// keys.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analyses/study/check.hpp"
#include "analyses/study/profiles.hpp"
#include "analyses/study/store.hpp"

namespace jostle::analyses {

// A study, its checked points, and the objects for running them. All must outlive this.
struct StudyRuns {
  const Study& study;
  const CheckedStudy& checked;
  Profiles& profiles;  // the cache used to check the points
  Store& store;        // Store::begin() has been called with the study
};

// A part of the points: every `of`-th point, starting at point `index` (from 0).
struct Shard {
  std::size_t index = 0, of = 1;
};

struct SweepControl {
  unsigned threads = 0;  // 0: as many as there are cores
  Shard shard;
  const std::atomic<bool>* interrupt = nullptr;
  // Called after each stored point, never by two threads at once; `of`: number of points to compute.
  std::function<void(std::size_t done, std::size_t of)> progress;
};

struct SweepSummary {
  std::size_t computed = 0, reused = 0;  // points of this shard; equal scenarios count once
  std::size_t infeasible = 0, not_supported = 0, failed = 0;  // counts among the computed points
  bool interrupted = false;                                   // finished points are stored
};

// Runs these points in parallel and stores each when it is done. They must be supported, have different keys,
// and not be in the store yet.
SweepSummary run_points(const StudyRuns& runs, std::vector<std::size_t> points, const SweepControl& control);

// Computes the points that the store does not have.
SweepSummary sweep(const StudyRuns& runs, const SweepControl& control);

}  // namespace jostle::analyses
