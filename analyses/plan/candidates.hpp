// The points of a study that a plan may choose among, each asked once, and what those simulated showed.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "analyses/plan/goal.hpp"
#include "analyses/plan/space.hpp"
#include "analyses/study/check.hpp"
#include "analyses/study/profiles.hpp"
#include "analyses/study/store.hpp"

namespace jostle::analyses {

class Candidates {
 public:
  struct Count {
    std::size_t looked_at = 0, simulated = 0;  // those in the store before are looked at, not simulated
    std::size_t do_not_fit = 0, failed = 0;
  };

  // All but those that are not supported; of points that ask the same the first. `store` has begun with the
  // study. What is referred to outlives it.
  Candidates(const Study& study, const CheckedStudy& checked, Profiles& profiles, Store& store,
             unsigned threads, const std::atomic<bool>* interrupt);

  [[nodiscard]] const Goal& goal() const { return goal_; }
  [[nodiscard]] const SearchSpace& space() const { return space_; }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] std::size_t study_point(std::size_t candidate) const { return points_[candidate]; }
  [[nodiscard]] const CheckedPoint& checked(std::size_t candidate) const;
  [[nodiscard]] scenarios::Scenario scenario(std::size_t candidate) const;  // throws RunError

  // Simulates those that the store does not have, and stores them. Throws Interrupted, RunError.
  void look_at(const std::vector<std::size_t>& candidates,
               const std::function<void(std::size_t looked_at)>& progress);
  void look_at_all(const std::function<void(std::size_t looked_at)>& progress);

  [[nodiscard]] const std::map<std::size_t, Evaluation>& seen() const { return seen_; }
  [[nodiscard]] const Count& count() const { return count_; }
  [[nodiscard]] Profiles& profiles() const { return *profiles_; }

 private:
  [[nodiscard]] static std::vector<std::size_t> points_of(const CheckedStudy& checked);
  [[nodiscard]] static SearchSpace space_of(const Study& study, const std::vector<std::size_t>& points);

  const Study* study_;
  const CheckedStudy* checked_;
  Profiles* profiles_;
  Store* store_;
  unsigned threads_;
  const std::atomic<bool>* interrupt_;
  Goal goal_;
  std::vector<std::size_t> points_;  // the study's, by candidate
  SearchSpace space_;
  std::map<std::size_t, Evaluation> seen_;
  Count count_;
};

}  // namespace jostle::analyses
