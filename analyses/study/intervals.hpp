// Prediction intervals for the points of a study, computed once for each group of similar points.
//
// Points have the same shape if device, power mode, networks, precisions, runtimes and placements are equal,
// if both run one process or several, and if both have batch size 1 or a larger one. The draws of the profile
// are simulated at two points of each shape: the first and the last one of the study that fit (even if
// another shard runs those). Each point gets the wider of the two spreads around its own result, because
// different spreads mean that the response to the parameters varies within the shape.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "analyses/interval/interval.hpp"
#include "analyses/study/check.hpp"

namespace jostle::analyses {

// A key that is equal for scenarios of the same shape.
[[nodiscard]] std::string shape_of(const scenarios::Scenario& scenario);

class StudyIntervals {
 public:
  // Simulates the draws for the shapes of the points `wanted`. Throws Interrupted, RunError.
  StudyIntervals(const Study& study, const CheckedStudy& checked, Profiles& profiles,
                 const std::vector<std::size_t>& wanted, const std::atomic<bool>* interrupt);

  // Adds the intervals to a result. Thread-safe.
  void add_to(scenarios::Result& result, const scenarios::Scenario& scenario) const;

 private:
  struct Shape {
    UncertainProfile profile;
    Spreads spreads;
  };
  std::map<std::string, Shape> shapes_;
};

}  // namespace jostle::analyses
