// Ranking and selection among simulated points: finds the best of those that truly meet the limits.
//
// A single run of a point is a noisy estimate, and the best of many noisy estimates is one that was lucky. So
// the best points, and those that miss a limit by no more than noise, are simulated again with fresh random
// numbers, step by step (replicator.hpp), each only until it is decided:
//   feasible    the probability that it meets all limits is so high that the answer is feasible with the
//               requested confidence, over all steps, examined points and limits (Bonferroni)
//   infeasible  that probability is below 2 %, or the backlog of a process grows
// A feasible point eliminates the points that it beats, and those that beat it by no more than the zone of
// indifference, with the same confidence (as in the procedures of Kim and Nelson 2001, with pairs of common
// random numbers; feasibility as in Andradottir and Kim 2010). Simulated time is bounded, and is spent on the
// points where it decides most.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyses/plan/candidates.hpp"
#include "analyses/plan/replicator.hpp"
#include "analyses/plan/samples.hpp"

namespace jostle::analyses {

struct Finalist {
  Replicated replicated;
  Verdict verdict = Verdict::undecided;
  double p_feasible = 0;  // after the last step
};

struct RaceSettings {
  double budget_s = 0;  // simulated time
  std::function<void(double share)> progress;
};

class Race {
 public:
  // The candidates must be evaluated. The references must outlive this.
  Race(const Candidates& candidates, const Replicator& replicator, const RaceSettings& settings);

  // Finds best(). Throws Interrupted, RunError.
  void run();
  // Decides on points within the remaining budget: up to `most` steps each, and at least `least` even for
  // points that are decided.
  void decide(const std::vector<std::size_t>& points, std::size_t most, std::size_t least = 0);

  // The best of the feasible finalists; none if there is none.
  [[nodiscard]] std::optional<std::size_t> best() const;
  [[nodiscard]] const std::map<std::size_t, Finalist>& finalists() const { return finalists_; }
  // The standard deviation of one run of the scenario's length, relative to the mean: the greatest among the
  // finalists.
  [[nodiscard]] double noise(std::size_t criterion) const;
  // Returns whether runs vary so little that one run determines the criteria.
  [[nodiscard]] bool is_exact() const;
  [[nodiscard]] double spent_s() const { return spent_s_; }
  [[nodiscard]] bool within_budget() const { return within_budget_; }

 private:
  using Points = std::vector<std::size_t>;

  [[nodiscard]] Points in_order() const;
  [[nodiscard]] std::optional<std::size_t> least_violating() const;
  [[nodiscard]] bool near(std::size_t point) const;
  [[nodiscard]] bool seems_better(std::size_t point, std::size_t than) const;
  [[nodiscard]] bool may_beat(const Finalist& one, const Finalist& best) const;
  [[nodiscard]] std::optional<std::size_t> best_above(double p) const;
  [[nodiscard]] Points contenders() const;
  bool widen();
  void step(const Points& points);
  [[nodiscard]] Points affordable(Points points) const;
  void judge(const Points& points);

  const Candidates& candidates_;
  const Replicator& replicator_;
  RaceSettings settings_;
  Points order_;  // points with values, best objective first
  std::map<std::size_t, Finalist> finalists_;
  std::set<std::string> configurations_;  // configurations of the finalists
  std::size_t steps_ = 1;                 // number of steps of those still in the race
  double spent_s_ = 0;
  bool within_budget_ = true;
};

}  // namespace jostle::analyses
