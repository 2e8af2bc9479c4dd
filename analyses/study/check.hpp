// Checks the scenarios of all points before any is run, so that an invalid study is not started.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/study/points.hpp"
#include "scenarios/language/load.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::scenarios {
struct SharedWork;
}

namespace jostle::analyses {

// A cache of device profiles for all points of a study.

class Profiles {
 public:
  // A shipped profile (empty `path`) or a profile file; null, with problems, on error. Thread-safe.
  [[nodiscard]] std::shared_ptr<const profiles::Profile> find(const std::string& name,
                                                              const std::string& path,
                                                              input::Problems& problems);

  // The work that runs on this profile may share (RunControl::shared); null: the profile is not in this cache
  // any more.
  [[nodiscard]] std::shared_ptr<scenarios::SharedWork> work(const profiles::Profile& profile);

  // The profile of a scenario, with its parameter overrides.
  [[nodiscard]] std::shared_ptr<const profiles::Profile> of(const scenarios::Scenario& scenario,
                                                            input::Problems& problems);
  // The same; throws scenarios::RunError with the problems.
  [[nodiscard]] std::shared_ptr<const profiles::Profile> required(const scenarios::Scenario& scenario);

  // The shipped catalogue with devices from this cache. The cache must outlive it.
  [[nodiscard]] scenarios::Catalogue catalogue();

 private:
  struct Known {
    std::shared_ptr<const profiles::Profile> profile;
    std::shared_ptr<scenarios::SharedWork> work;
  };
  static Known known(profiles::Profile profile);

  std::mutex guard_;
  std::map<std::string, Known> read_;  // by name, or by path for files
  // The most recent profiles with overrides, by device and overrides: most studies override the same
  // parameters at all points.
  static constexpr std::size_t kept = 8;
  std::deque<std::pair<std::string, Known>> overridden_;
};

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
