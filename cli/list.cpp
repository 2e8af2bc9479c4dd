// `jostle list`: the names of the devices and networks that ship with this build.
#include <fmt/format.h>

#include <memory>

#include "calibration/profile/profile.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/table.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::cli {
namespace {

Table devices() {
  Table table({{"device", Align::left}, {"description", Align::left, 0, true}});
  for (const std::string& name : calibration::device_names()) {
    input::Problems problems;  // shipped profiles are tested; a broken one shows in `show`
    const auto profile = calibration::shipped_profile(name, problems);
    table.add({name, profile ? profile->spec.description : ""});
  }
  return table;
}

Table models() {
  Table table({{"model", Align::left}, {"input", Align::right, 1}, {"description", Align::left, 0, true}});
  for (const dnn::Model& model : dnn::models()) {
    table.add(
        {std::string(model.name), fmt::format("{}", model.default_input), std::string(model.description)});
  }
  return table;
}

}  // namespace

void add_list(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("list", "List the devices or the models that scenarios can name");
  const auto what = std::make_shared<std::string>();
  command->add_option("WHAT", *what, "devices or models")
      ->required()
      ->type_name("")
      ->check(one_of({"devices", "models"}));
  command->callback([&task, what] {
    task = [what](Context& context) {
      const Table table = *what == "devices" ? devices() : models();
      context.terminal.print(table.text(context.terminal.width(), context.terminal.colour()));
      return ExitCode::done;
    };
  });
}

}  // namespace jostle::cli
