// Bayesian optimisation: finds the best of many points with few evaluations.
//
// Call next() and record_evaluation() in turn until next() returns nothing. Each objective and each limit is
// modelled by a Gaussian process. A point is excluded if its optimistic estimate (mean plus three standard
// deviations) violates a limit or improves nothing. When no point is left, all are considered once more. Half
// of the next points have the highest expected improvement (Jones, Schonlau and Welch 1998; with limits:
// Gardner et al. 2014), half the highest optimistic gain. At the end all neighbours of the best point are
// evaluated, so that it is at least a local optimum.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "analyses/plan/gaussian_process.hpp"
#include "analyses/plan/goal.hpp"
#include "analyses/plan/space.hpp"

namespace jostle::analyses {

struct SearchSettings {
  std::size_t max_evaluations = 1000;
  double tolerance = 0.005;  // relative; smaller gains are ignored
  std::uint64_t seed = 1;
};

class Search {
 public:
  // The space must outlive the search. `criteria`: objectives first, at least one.
  Search(const SearchSpace& space, std::vector<Criterion> criteria, const SearchSettings& settings);

  // The next batch of points to evaluate; empty: the search is done.
  [[nodiscard]] std::vector<std::size_t> next();
  void record_evaluation(std::size_t point, Evaluation evaluation);

  [[nodiscard]] std::size_t evaluated() const { return evaluations_.size(); }
  // Returns whether the search ended because no point could improve the result, not because of
  // max_evaluations.
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  struct Acquisition {
    std::size_t point = 0;
    double gain = 0;      // optimistic gain of the target
    double expected = 0;  // improvement, times the probability of meeting the limits
  };
  // The target of the improvement: the first objective, or the Pareto front.
  enum class Target { best, front };

  [[nodiscard]] std::vector<std::size_t> first_points();
  [[nodiscard]] std::vector<std::size_t> to_evaluate(Target target);
  [[nodiscard]] std::vector<Acquisition> acquisitions(Target target);
  [[nodiscard]] std::vector<std::size_t> unevaluated_neighbours() const;
  [[nodiscard]] std::vector<std::size_t> unevaluated(std::size_t max_points,
                                                     const std::vector<bool>& excluded);
  void fit_models();
  [[nodiscard]] std::optional<Acquisition> acquisition(std::size_t point, Target target, bool exactly) const;
  [[nodiscard]] double scaled(std::size_t criterion, double value) const;
  [[nodiscard]] std::optional<std::size_t> best() const;

  const SearchSpace* space_;
  std::vector<Criterion> criteria_;
  SearchSettings settings_;
  sim::RandomStream random_;
  std::map<std::size_t, Evaluation> evaluations_;
  std::vector<bool> is_evaluated_;
  std::vector<GaussianProcess> models_;     // one per criterion
  std::vector<bool> by_logarithm_;          // [criterion]: all values so far are positive
  std::vector<std::vector<double>> front_;  // scaled objectives of the evaluations
  std::optional<std::size_t> best_;
  std::optional<std::size_t> settled_;         // the best point when no other point was expected to gain
  std::array<std::vector<bool>, 2> excluded_;  // by target
  bool exhausted_ = false;
};

// The point that differs from the best one in one dimension only, and that is worst in the first objective.
struct AloneEffect {
  std::size_t point = 0;  // candidate
  double value = 0;       // its value of the first objective
  double change = 0;      // relative to the best, positive
};

// The dimension in which two points differ; none unless it is exactly one.
[[nodiscard]] std::optional<std::size_t> only_difference(const Coordinates& one, const Coordinates& other);

// One effect for each dimension in which some evaluated point is worse by more than `zone`, the greatest
// change first. `values`: the first objective of each evaluated point, the best one's among them; `objective`
// tells in which direction it is better.
[[nodiscard]] std::vector<AloneEffect> effects_alone(const SearchSpace& space, const Criterion& objective,
                                                     const std::map<std::size_t, double>& values,
                                                     std::size_t best, double zone);

}  // namespace jostle::analyses
