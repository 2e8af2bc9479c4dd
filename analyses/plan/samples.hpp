// What independent replications say about the criteria of one configuration: means, how well they are known,
// and how probable it is that the true values meet the limits.
//
// A replication is a run with random numbers of its own. Runs may have different lengths: one counts by its
// length, which assumes that its variance is inversely proportional to it. So nothing of a run is used but
// its value, and how requests depend on each other within a run does not matter.
#pragma once

#include <cstddef>
#include <vector>

#include "analyses/plan/criteria.hpp"

namespace jostle::analyses {

class Samples {
 public:
  // A run of this length, s. `values`: of the criteria; none if the run has none (`overloaded`: because the
  // backlog of a process grew).
  void add(double length_s, Evaluation values, bool overloaded);

  [[nodiscard]] std::size_t runs() const { return runs_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }  // runs with values
  [[nodiscard]] double simulated_s() const { return simulated_s_; }
  // Whether at least half of the runs were.
  [[nodiscard]] bool overloaded() const { return 2 * overloaded_ >= runs_ && runs_ > 0; }

  // The means of all criteria; none without a run that has values.
  [[nodiscard]] Evaluation means() const;
  // The standard error of a mean; infinite below three runs.
  [[nodiscard]] double standard_error(std::size_t criterion) const;
  // The standard deviation of a run as long as the first one.
  [[nodiscard]] double deviation(std::size_t criterion) const;
  // Half of the interval that holds the true mean with this probability; infinite below three runs.
  [[nodiscard]] double half_width(std::size_t criterion, double confidence) const;

  // The probability that the true values meet all limits: one less those that one is not met (Bonferroni), by
  // Student's t. 0 if overloaded, at most a half where one run was; a half below three runs with values.
  [[nodiscard]] double p_feasible(const std::vector<Criterion>& criteria) const;

  // How much greater the mean of a criterion is here than there, at most, with this probability (one-sided).
  // By pairs where both have the same runs (same random numbers), else as independent.
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
  double simulated_s_ = 0;                   // of all runs
  std::size_t runs_ = 0, overloaded_ = 0;
};

}  // namespace jostle::analyses
