// The scenario files of a command line. All are read and checked first; if one is invalid, none is run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/subcommand.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {

// The options that `run` and `check` share.
struct ScenarioFiles {
  std::vector<std::string> files;
  scenarios::LoadOptions options;
};
void add_scenario_files(CLI::App& subcommand, ScenarioFiles& files);

// The scenarios in the order of the files; none if one is invalid, with its problems on standard error. A key
// that the models would ignore is a problem too.
[[nodiscard]] std::optional<std::vector<scenarios::Scenario>> read(const ScenarioFiles& files,
                                                                   Terminal& terminal);

}  // namespace jostle::cli
