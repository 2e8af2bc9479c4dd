// `jostle plan --write TOOL DIR`: the best point in the words of a tool.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/subcommand.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {

// Adds the option; `write` is then the tool and the folder.
void add_write(CLI::App& command, std::vector<std::string>& write);

// The best point of a study, and its board.
struct BestPoint {
  const scenarios::Scenario& scenario;
  const board::DeviceSpec& device;
  const std::string& study;  // the path
};
// Writes the folder, and on standard error its files and what the tool cannot say. Throws WriteError.
[[nodiscard]] ExitCode write_for_tool(const BestPoint& best, const std::vector<std::string>& write,
                                      const output::OutputFolder& folder, Terminal& terminal);

}  // namespace jostle::cli
