// Device profiles, each read once for all the points of a study.
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
  // Of a shipped profile (path empty) or of a profile file; null with its problems. From any thread.
  [[nodiscard]] std::shared_ptr<const calibration::Profile> find(const std::string& name,
                                                                 const std::string& path,
                                                                 input::Problems& problems);

  // A scenario's, with the figures that it puts over it.
  [[nodiscard]] std::shared_ptr<const calibration::Profile> of(const scenarios::Scenario& scenario,
                                                               input::Problems& problems);

  // All that ships, with its devices from here. It must not outlive this.
  [[nodiscard]] scenarios::Catalogue catalogue();

 private:
  std::mutex guard_;
  std::map<std::string, std::shared_ptr<const calibration::Profile>> read_;  // by name, files by path
};

}  // namespace jostle::analyses
