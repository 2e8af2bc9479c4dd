// A cache of device profiles for all points of a study.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "scenarios/language/load.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

class Profiles {
 public:
  // A shipped profile (empty `path`) or a profile file; null, with problems, on error. Thread-safe.
  [[nodiscard]] std::shared_ptr<const calibration::Profile> find(const std::string& name,
                                                                 const std::string& path,
                                                                 input::Problems& problems);

  // The profile of a scenario, with its parameter overrides.
  [[nodiscard]] std::shared_ptr<const calibration::Profile> of(const scenarios::Scenario& scenario,
                                                               input::Problems& problems);

  // The shipped catalogue with devices from this cache, which must outlive it.
  [[nodiscard]] scenarios::Catalogue catalogue();

 private:
  std::mutex guard_;
  std::map<std::string, std::shared_ptr<const calibration::Profile>> read_;  // by name, files by path
};

}  // namespace jostle::analyses
