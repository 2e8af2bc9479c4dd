// Scenario files as the command line names them, read and checked all together: one wrong, and none is run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/subcommand.hpp"
#include "scenarios/language/load.hpp"

namespace jostle::cli {

// The options that `run` and `check` share.
struct ScenarioFiles {
  std::vector<std::string> files;
  scenarios::LoadOptions options;
};
void add_scenario_files(CLI::App& subcommand, ScenarioFiles& questions);

// The scenarios in the order of the files; none if anything is wrong, which has then been said on standard
// error. A key that the present models would ignore is wrong too.
[[nodiscard]] std::optional<std::vector<scenarios::Scenario>> read(const ScenarioFiles& questions,
                                                                   Terminal& terminal);

}  // namespace jostle::cli
