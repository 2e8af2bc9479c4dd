// `jostle import` of what becomes scenarios: configurations of other programs, traces of ROS 2.
#pragma once

#include <string>
#include <vector>

#include "calibration/logs/imported_scenario.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/terminal.hpp"
#include "input/problems.hpp"

namespace jostle::cli {

// A kind of configuration that becomes a scenario.
struct ConfigurationKind {
  const char* name;
  const char* what;
  calibration::ScenarioImport* read;
};
[[nodiscard]] const std::vector<ConfigurationKind>& configuration_kinds();
[[nodiscard]] const ConfigurationKind* find_configuration(const std::string& name);  // null if there is none

// Writes the scenario to `out` (standard output if empty), and on standard error what was not said.
[[nodiscard]] ExitCode import_scenario(const ConfigurationKind& kind, const std::string& path,
                                       calibration::ImportWishes wishes, const std::string& out,
                                       Context& context);

// Says what the folders of probes among the words hold (on standard output if there is nothing else, beside
// rows of evidence on standard error), and takes them out of the words: their parameters are no rows of
// evidence, but `jostle calibrate auto` reads them. False, with the reasons, if one cannot be read.
[[nodiscard]] bool tell_of_probes(std::vector<std::string>& words, input::Problems& problems,
                                  Terminal& terminal);

}  // namespace jostle::cli
