// Reads the scenario of every point before any is run, so that a study runs to its end or not at all.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/points.hpp"
#include "analyses/study/profiles.hpp"

namespace jostle::analyses {

struct CheckedPoint {
  std::string key;       // of its outcome (outcome.hpp); points that ask the same share it
  std::string settings;  // settings_json()
  std::string problem;   // why it is not supported; else empty
};

struct CheckedStudy {
  std::vector<CheckedPoint> points;   // by index
  std::vector<std::string> warnings;  // what was approximated in files, a line each
};

// A value with which no point is right is a problem, where it stands. A point whose values are right
// elsewhere but not together (a precision on a board without it) is not supported. Throws Interrupted.
[[nodiscard]] std::optional<CheckedStudy> check_points(const Study& study, Profiles& profiles,
                                                       unsigned threads, const std::atomic<bool>* interrupt,
                                                       input::Problems& problems);

}  // namespace jostle::analyses
