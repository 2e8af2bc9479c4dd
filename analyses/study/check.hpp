// Checks the scenarios of all points before any is run, so that an invalid study is not started.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/study/points.hpp"
#include "analyses/study/profiles.hpp"

namespace jostle::analyses {

// Small, because a study may have millions: the settings of a point follow from its index (points.hpp).
struct CheckedPoint {
  static constexpr std::uint32_t supported = static_cast<std::uint32_t>(-1);

  std::uint64_t key = 0;  // key of the outcome (outcome.hpp); points with equal scenarios share it
  float cost = 0;         // relative and rough: simulated seconds times processes
  std::uint32_t problem = supported;  // index in CheckedStudy::problems: why it is not supported
  [[nodiscard]] bool is_supported() const { return problem == supported; }
};

struct CheckedStudy {
  std::vector<CheckedPoint> points;   // by index
  std::vector<std::string> problems;  // each once
  std::vector<std::string> warnings;  // approximations of files, one line each
};

// Checks all points. A value that is invalid in every point is a problem at its place in the file. A point
// whose values are valid elsewhere but not in combination (a precision on a board without it) is not
// supported. Throws Interrupted.
[[nodiscard]] std::optional<CheckedStudy> check_points(const Study& study, Profiles& profiles,
                                                       unsigned threads, const std::atomic<bool>* interrupt,
                                                       input::Problems& problems);

}  // namespace jostle::analyses
