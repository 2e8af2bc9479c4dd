// Prediction intervals of the points of a study, at the cost of a few: points that are alike spread alike.
//
// Alike are points of one device and power mode with equal networks, precisions, runtimes and placements,
// alone or together on the board, one image a batch or several. The draws are simulated once for each such
// shape, at the first of the study's points that fits, whichever part of the study is run here; every point
// has the spread of its shape around its own answer.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "analyses/interval/interval.hpp"
#include "analyses/study/check.hpp"

namespace jostle::analyses {

[[nodiscard]] std::string shape_of(const scenarios::Scenario& scenario);

class StudyIntervals {
 public:
  // For the shapes of the points `wanted`. Throws Interrupted, RunError.
  StudyIntervals(const Study& study, const CheckedStudy& checked, Profiles& profiles,
                 const std::vector<std::size_t>& wanted, const std::atomic<bool>* interrupt);

  // From any thread.
  void add_to(scenarios::Result& result, const scenarios::Scenario& scenario) const;

 private:
  struct Shape {
    UncertainProfile profile;
    Spreads spreads;
  };
  std::map<std::string, Shape> shapes_;
};

}  // namespace jostle::analyses
