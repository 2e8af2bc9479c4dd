// Tuning a board while it works: one setting a window of time, compared by what is lost meanwhile.
//
// The simulated board stands in for the real one: a window of a setting is a run of it with a random seed of
// its own, so what a tuner sees is noisy. Its regret is the sum over the windows of 1 - score, where the
// score of a setting is its true first objective over the true best one's (or the inverse, where little is
// wanted), and 0 where it breaks a limit or does not fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/plan/candidates.hpp"
#include "sim/time.hpp"

namespace jostle::analyses {

struct OnlineSettings {
  std::size_t windows = 0;                 // 0: three for each point
  sim::Duration window = sim::seconds(1);  // of simulated time each, behind a short warm-up
  std::uint64_t seed = 1;
};

struct OnlineTrack {
  std::string method;
  std::vector<double> regret;          // up to and with each window
  std::optional<std::size_t> settled;  // windows before those from which on all are within 1 % of the best
  std::size_t last = 0;                // the candidate of the last window
  double last_score = 0;
  std::size_t tried = 0;  // different settings
};

struct OnlineComparison {
  std::size_t best = 0;  // the candidate that is truly best
  std::vector<OnlineTrack> tracks;
};

// Full sweep: every setting once, then the best seen for good. Thompson sampling: each window the best of a
// draw from a Gaussian process that follows the scores seen (Thompson 1933; Chowdhury and Gopalan 2017).
// Online gradient descent: two windows either side of a place, then a step along the slope between them
// (Spall 1992); it starts in the middle and moves along keys with an order, leaving the others as they are
// first. None if no point keeps all limits. Throws Interrupted, RunError.
[[nodiscard]] std::optional<OnlineComparison> tune_online(Candidates& candidates,
                                                          const OnlineSettings& settings,
                                                          const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
