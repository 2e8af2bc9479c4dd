// The command line: parses it and runs the subcommand.
#pragma once

#include <atomic>

#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

// Runs the command line and returns the exit code (exit_code.hpp). `interrupted`: the flag by which a calling
// program stops it; null: signals stop it (interrupt.hpp).
[[nodiscard]] int command_line(int argc, const char* const* argv, const Terminal::Settings& settings,
                               const std::atomic<bool>* interrupted = nullptr);

}  // namespace jostle::cli
