// A cache of device profiles for all points of a study.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "scenarios/language/load.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::scenarios {
struct SharedWork;
}

namespace jostle::analyses {

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

}  // namespace jostle::analyses
