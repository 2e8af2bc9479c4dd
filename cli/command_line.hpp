// The whole command line: parses it and runs the subcommand.
#pragma once

namespace jostle::cli {

// The exit code: 0 done, 2 wrong input or usage, 3 something did not fit, 130 interrupted, 1 anything else.
[[nodiscard]] int command_line(int argc, const char* const* argv);

}  // namespace jostle::cli
