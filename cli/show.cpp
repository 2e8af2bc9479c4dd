// `jostle show device`: every figure of a profile with its unit, grade and source.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "calibration/profile/profile.hpp"
#include "cli/subcommand.hpp"
#include "cli/table.hpp"

namespace jostle::cli {
namespace {

// A shipped profile's name, or the path of a profile: as in a scenario.
std::optional<calibration::Profile> find(const std::string& name, input::Problems& problems) {
  const bool is_path =
      name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".yml");
  return is_path ? calibration::read_profile(name, problems) : calibration::shipped_profile(name, problems);
}

ExitCode show(const std::string& name, Terminal& terminal) {
  input::Problems problems;
  const auto profile = find(name, problems);
  if (!profile) {
    terminal.note(problems.text());
    return ExitCode::bad_input;
  }
  Table table({{"figure", Align::left, 0, true},
               {"value", Align::left, 0, true},
               {"grade", Align::left},
               {"source", Align::left, 1, true}});
  for (const calibration::Figure& figure : profile->figures) {
    table.add({figure.path, figure.value, calibration::to_string(figure.from.grade), figure.from.source});
  }
  terminal.print(fmt::format("{}: {}\nprofile hash {}\n\n", profile->spec.name, profile->spec.description,
                             profile->hash) +
                 table.text(terminal.width(), terminal.colour()));
  return ExitCode::done;
}

}  // namespace

void add_show(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("show", "Show what a profile says, figure by figure, and where it comes from");
  command->require_subcommand(1);
  CLI::App* const device = command->add_subcommand("device", "A device profile");
  const auto name = std::make_shared<std::string>();
  device->add_option("NAME", *name, "A shipped profile (see `jostle list devices`) or the path of one")
      ->required()
      ->type_name("");
  device->callback(
      [&task, name] { task = [name](Context& context) { return show(*name, context.terminal); }; });
}

}  // namespace jostle::cli
