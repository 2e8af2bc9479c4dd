// Estimates from independent replications of one configuration: the means of the criteria, their precision,
// and the probability that the true values meet the limits.
//
// A replication is a run with random numbers of its own. Runs may have different lengths. Each has a weight
// equal to its length, which assumes that its variance is inversely proportional to its length. Only the
// value of a run is used, so that the dependence of requests within a run does not matter.
#pragma once

#include <cstddef>
#include <vector>

#include "analyses/plan/goal.hpp"

namespace jostle::analyses {

class Samples {
 public:
  // Adds a run of this length in s. `values`: one per criterion; none if the run has none (`overloaded`:
  // because the backlog of a process grew).
  void add(double length_s, Evaluation values, bool overloaded);

  [[nodiscard]] std::size_t runs() const { return runs_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }  // runs with values
  [[nodiscard]] double simulated_s() const { return simulated_s_; }
  // Returns whether at least half of the runs were overloaded.
  [[nodiscard]] bool overloaded() const { return 2 * overloaded_ >= runs_ && runs_ > 0; }

  // The means of all criteria; none without a run that has values.
  [[nodiscard]] Evaluation means() const;
  // The standard error of a mean; infinite below three runs.
  [[nodiscard]] double standard_error(std::size_t criterion) const;
  // The standard deviation of a run as long as the first one.
  [[nodiscard]] double deviation(std::size_t criterion) const;
  // The half-width of the interval that contains the true mean with this probability; infinite below three
  // runs.
  [[nodiscard]] double half_width(std::size_t criterion, double confidence) const;

  // The probability that the true values meet all limits, by Student's t: one minus the probabilities of
  // missing each limit (Bonferroni). 0 if overloaded, at most 0.5 if any run was; 0.5 below three runs with
  // values.
  [[nodiscard]] double p_feasible(const std::vector<Criterion>& criteria) const;

  // The upper confidence bound, with this probability (one-sided), of the mean of a criterion here minus the
  // mean of `other`. Computed from pairs if both have the same runs (common random numbers), else as for
  // independent samples.
  [[nodiscard]] double greatest_difference(const Samples& other, std::size_t criterion,
                                           double confidence) const;

 private:
  struct Moments {
    double mean = 0, error = 0;  // standard error of the mean
  };
  template <typename Of>
  [[nodiscard]] Moments moments(const Of& of) const;

  std::vector<std::vector<double>> values_;  // [run][criterion]
  std::vector<double> length_s_;             // [run]
  double simulated_s_ = 0;                   // sum over all runs
  std::size_t runs_ = 0, overloaded_ = 0;
};

// The Pareto front of points whose values have known noise.

// A point that meets the limits.
struct FrontPoint {
  std::size_t point = 0;
  std::vector<double> values;        // one per criterion
  const Samples* samples = nullptr;  // null: the values are exact
};

// The points that no other point dominates. A dominating point is worse in no objective beyond noise, and in
// one objective better by more than noise and the zone of indifference. If points differ by no more than the
// zone or noise in every objective, the front has the one that is best in the first. Sorted by the first
// objective, best first.
[[nodiscard]] std::vector<FrontPoint> front_beyond_noise(const Goal& goal, std::vector<FrontPoint> points);

// The verdict on whether a configuration meets its limits.
enum class Verdict { feasible, infeasible, undecided };

// `p_feasible`: the probability that it meets them; `error`: the allowed probability of a false "feasible".
// Infeasible below 2 %. A configuration that was feasible `before` stays so while the probability is at least
// 95 %.
[[nodiscard]] constexpr Verdict verdict_of(double p_feasible, double error, Verdict before) {
  constexpr double hopeless = 0.02, kept = 0.95;
  if (p_feasible < hopeless) return Verdict::infeasible;
  if (1 - p_feasible <= error) return Verdict::feasible;
  return before == Verdict::feasible && p_feasible >= kept ? before : Verdict::undecided;
}

}  // namespace jostle::analyses
