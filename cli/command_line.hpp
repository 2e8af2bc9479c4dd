// The command line: parses it and runs the subcommand.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "cli/subcommand.hpp"
#include "cli/terminal/terminal.hpp"

namespace jostle::cli {

// Subcommands of the laboratory, which a program may lack (cli/laboratory/laboratory.hpp).
using Laboratory = std::span<const Subcommand>;

// True for a first argument that `jostle` answers without the laboratory.
[[nodiscard]] bool needs_no_laboratory(std::string_view word);

// Runs the command line and returns the exit code (exit_code.hpp). `interrupted`: the flag by which a calling
// program stops it; null: signals stop it (interrupt.hpp).
[[nodiscard]] int command_line(int argc, const char* const* argv, const Terminal::Settings& settings,
                               Laboratory laboratory, const std::atomic<bool>* interrupted = nullptr);

// The output of `jostle --version`: the version; the commit that it was built from, if known; hashes of the
// embedded data: profiles of devices, measurements, and tables of factors and errors.
[[nodiscard]] std::string version_text();

}  // namespace jostle::cli
