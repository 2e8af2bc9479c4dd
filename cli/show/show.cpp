// `jostle show`: what a profile says, or what a network is made of.
#include "cli/subcommand.hpp"

namespace jostle::cli {

void add_show(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("show", "Show a device's figures and where they come from, or a model's layers");
  command->require_subcommand(1);
  add_show_device(*command, task);
  add_show_model(*command, task);
}

}  // namespace jostle::cli
