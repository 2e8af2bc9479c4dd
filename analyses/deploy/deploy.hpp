// A scenario in the words of the tool that runs it: the files of a folder, and a line for each setting that
// the tool cannot say.
#pragma once

#include <string>
#include <vector>

#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

struct DeployedFile {
  std::string path, text;  // path: in the folder; scripts begin with #!
  std::string of = {};     // the part whose settings it has; empty: all
};
// A setting that the files do not have: of a part ("detector"), or of the board (empty).
struct Unsaid {
  std::string of, words;
  [[nodiscard]] std::string text() const { return (of.empty() ? "" : of + ": ") + words; }
};
struct Deployment {
  std::vector<DeployedFile> files;  // none: the tool runs none of the processes
  std::vector<Unsaid> unsaid;       // stands in the files as comments too
};

[[nodiscard]] std::vector<std::string> deploy_tools();  // their names
// The files for one of the tools. `source`: where the scenario is from, for a comment.
[[nodiscard]] Deployment deployment(const std::string& tool, const scenarios::Scenario& scenario,
                                    const board::DeviceSpec& device, const std::string& source);

}  // namespace jostle::analyses
