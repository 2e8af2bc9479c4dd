// The command line: parses it and runs the subcommand.
#pragma once

#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

// Runs the command line and returns the exit code (exit_code.hpp).
[[nodiscard]] int command_line(int argc, const char* const* argv, const Terminal::Settings& settings);

}  // namespace jostle::cli
