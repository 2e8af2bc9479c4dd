// Online tuning: a board runs one configuration per time window, and tuners are compared by their regret.
//
// The simulated board replaces the real one. The windows of a configuration follow each other in one
// simulation, so that the measured scores are noisy; the mean of replications counts as the true value. The
// score of a configuration is its true first objective relative to the true optimum (inverted if the
// objective is minimised), and 0 if it violates a limit or does not fit. The regret of a tuner is the sum of
// 1 - score over the windows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/plan/candidates.hpp"
#include "sim/time.hpp"

namespace jostle::analyses {

struct OnlineSettings {
  std::size_t windows = 0;                 // 0: three per point
  sim::Duration window = sim::seconds(1);  // simulated time of each window, after a short warm-up
  std::uint64_t seed = 1;
};

struct OnlineTrack {
  std::string method;
  std::vector<double> regret;          // [window]: cumulative, including this window
  std::optional<std::size_t> settled;  // number of windows after which all are within 1 % of the optimum
  std::size_t last = 0;                // the candidate of the last window
  double last_score = 0;
  std::size_t tried = 0;  // number of different configurations
};

struct OnlineComparison {
  std::size_t best = 0;  // the candidate that is the true optimum
  std::vector<OnlineTrack> tracks;
};

// Compares three tuners. Full sweep: runs every configuration once, then the best of them. Thompson sampling:
// runs in each window the best of a draw from a Gaussian process fitted to the scores so far (Thompson 1933;
// Chowdhury and Gopalan 2017). Online gradient descent: runs two windows on either side of the current
// position, then makes a step along the slope between them (Spall 1992); it starts in the middle, moves along
// ordered keys, and keeps the first value of the others. None if no point meets all limits. Throws
// Interrupted, RunError.
[[nodiscard]] std::optional<OnlineComparison> tune_online(Candidates& candidates,
                                                          const OnlineSettings& settings,
                                                          const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
