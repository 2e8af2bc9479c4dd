// `jostle show`: the parameters of a profile, or the layers of a network.
#include "cli/options.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

void add_show(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "show", "Show the parameters of a device with their sources, or the layers of a model");
  command->require_subcommand(1);
  add_show_device(*command, task);
  add_show_model(*command, task);
  add_examples(*command, {"show device nvidia-h200", "show model yolov8n --batch 4"});
}

}  // namespace jostle::cli
