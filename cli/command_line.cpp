#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>

namespace jostle::cli {

int command_line(int argc, const char* const* argv) {
  CLI::App app{"Predicts the throughput and latency of every process that shares a GPU and a few CPU cores."};
  app.set_version_flag("--version", "jostle " JOSTLE_VERSION);
  app.require_subcommand(0);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace jostle::cli
