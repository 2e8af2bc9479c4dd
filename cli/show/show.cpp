// `jostle show`: the parameters of a profile, or the layers of a network.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/table.hpp"
#include "input/printable.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::cli {

void add_show(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "show", "Show the parameters of a device with their sources, or the layers of a model");
  command->require_subcommand(1);
  add_show_device(*command, task);
  add_show_model(*command, task);
  add_examples(*command, {"show device nvidia-h200", "show model yolov8n --batch 4"});
}

// `jostle show device`: every parameter of a profile with its unit, grade and source.

namespace {

// Abbreviates a list of five or more values (clock tables) to its first and last.
std::string shortened(const std::string& value) {
  const auto commas = std::count(value.begin(), value.end(), ',');
  if (!value.starts_with('[') || commas < 4) return value;
  return fmt::format("{} ...{} ({})", value.substr(0, value.find(',') + 1),
                     value.substr(value.rfind(',') + 1), commas + 1);
}

ExitCode show_device(const std::string& name, Terminal& terminal) {
  input::Problems problems;
  const auto profile = profiles::find_profile(name, problems);
  if (!profile) return terminal.refuse(problems);
  Table table({shrinking("parameter"), shrinking("value"), left("grade"), shrinking("source", 1)});
  for (const profiles::ProfileParameter& parameter : profile->figures) {
    table.add({parameter.path, shortened(parameter.value), profiles::to_string(parameter.from.grade),
               parameter.from.source});
  }
  terminal.print(fmt::format("{}: {}\nprofile hash {}\n\n", input::printable(profile->spec->name),
                             input::printable(profile->spec->description, 400), profile->hash) +
                 table.text(terminal.width(), terminal.colour()));
  return ExitCode::done;
}

}  // namespace

void add_show_device(CLI::App& show, Task& task) {
  CLI::App* const device = show.add_subcommand("device", "The parameters of a device profile");
  const auto name = std::make_shared<std::string>();
  device->add_option("NAME", *name, "A shipped profile (see `jostle list devices`) or the path of one")
      ->required()
      ->type_name("");
  add_examples(*device, {"show device nvidia-h200", "show device my-board.yaml"});
  device->callback(
      [&task, name] { task = [name](Context& context) { return show_device(*name, context.terminal); }; });
}

}  // namespace jostle::cli
