// `jostle schema`: prints the JSON Schemas of jostle's inputs and outputs, for editors and other tools.
#include "analyses/schema/schema.hpp"

#include <memory>

#include "cli/options.hpp"
#include "cli/subcommand.hpp"

namespace jostle::cli {

void add_schema(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("schema", "Print the JSON Schema of a scenario, a study or a result");
  const auto name = std::make_shared<std::string>();
  add_value(*command, "KIND", *name, "", "scenario, study or result")
      ->required()
      ->check(one_of(analyses::schema_names()));
  command->footer(
      "\nAn editor with a YAML language server checks and completes a file that begins with\n"
      "  # yaml-language-server: $schema=scenario.schema.json");
  add_examples(*command, {"schema scenario", "schema result > result.schema.json"});
  command->callback([&task, name] {
    task = [name](Context& context) {
      context.terminal.print_data(analyses::schema(*name));
      return ExitCode::done;
    };
  });
}

}  // namespace jostle::cli
