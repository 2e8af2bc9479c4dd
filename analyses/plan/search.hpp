// Finds the best of many points by looking at few: which to look at next, given what was seen.
//
// Ask for points, tell what they showed, until there are none to ask for. Each objective and each limit is
// followed by a Gaussian process. A point is left out where, taken as good as it may be (three standard
// deviations), it breaks a limit or wins nothing; when none is left all are weighed once more. Of those that
// may win half are taken by their expected
// improvement (Jones, Schonlau and Welch 1998; with limits: Gardner et al. 2014), half by how much they may
// win. At the end every neighbour of the best is looked at, so that it is at least a local optimum.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "analyses/plan/criteria.hpp"
#include "analyses/plan/gaussian_process.hpp"
#include "analyses/plan/space.hpp"

namespace jostle::analyses {

struct SearchSettings {
  std::size_t most = 1000;   // points to look at
  double tolerance = 0.005;  // of a figure: what may be won below it is not sought
  std::uint64_t seed = 1;
};

class Search {
 public:
  // The space outlives it. The criteria: objectives first, at least one.
  Search(const SearchSpace& space, std::vector<Criterion> criteria, const SearchSettings& settings);

  // The points to look at now, all at once; none: it is done.
  [[nodiscard]] std::vector<std::size_t> next();
  void tell(std::size_t point, Evaluation seen);

  [[nodiscard]] std::size_t looked_at() const { return seen_.size(); }
  // Whether nothing was left that could win, rather than the number of points used up.
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  struct Acquisition {
    std::size_t point = 0;
    double gain = 0;      // at most, of what is sought
    double expected = 0;  // improvement, times the chance to keep the limits
  };
  // What is sought: more of the first objective, or more of the front of all.
  enum class Target { best, front };

  [[nodiscard]] std::vector<std::size_t> first_points();
  [[nodiscard]] std::vector<std::size_t> to_evaluate(Target target);
  [[nodiscard]] std::vector<Acquisition> acquisitions(Target target);
  [[nodiscard]] std::vector<std::size_t> beside_the_best() const;
  [[nodiscard]] std::vector<std::size_t> unseen(std::size_t most, const std::vector<bool>& left_out);
  void learn();
  [[nodiscard]] std::optional<Acquisition> acquisition(std::size_t point, Target target, bool exactly) const;
  [[nodiscard]] double scaled(std::size_t criterion, double value) const;
  [[nodiscard]] std::optional<std::size_t> best() const;

  const SearchSpace* space_;
  std::vector<Criterion> criteria_;
  SearchSettings settings_;
  sim::RandomStream random_;
  std::map<std::size_t, Evaluation> seen_;
  std::vector<bool> is_seen_;
  std::vector<GaussianProcess> models_;     // one an criterion
  std::vector<bool> by_logarithm_;          // of each criterion: all values seen are above 0
  std::vector<std::vector<double>> front_;  // scaled objectives of what is seen
  std::optional<std::size_t> best_;
  std::optional<std::size_t> settled_;         // the best when nothing promised more
  std::array<std::vector<bool>, 2> left_out_;  // by target
  bool exhausted_ = false;
};

}  // namespace jostle::analyses
