#include "cli/scenario_files.hpp"

#include "cli/options.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {

void add_scenario_files(CLI::App& subcommand, ScenarioFiles& files) {
  subcommand.add_option("FILE", files.files, "Scenario files (YAML)")->required()->type_name("");
  subcommand
      .add_option("--set", files.options.set,
                  "Override a value of the files, e.g. --set processes.0.batch=8; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  subcommand
      .add_option_function<std::string>(
          "--seed", [&files](const std::string& text) { files.options.seed = whole_number("--seed", text); },
          "Seed of all random numbers; overrides the files")
      ->type_name("N");
}

std::optional<std::vector<scenarios::Scenario>> read(const ScenarioFiles& files, Terminal& terminal) {
  const scenarios::Catalogue catalogue = scenarios::shipped_catalogue();
  input::Problems problems;
  std::vector<scenarios::Scenario> all;
  for (const std::string& file : files.files) {
    std::optional<scenarios::Scenario> scenario =
        scenarios::load_scenario(file, catalogue, files.options, problems);
    if (scenario) all.push_back(std::move(*scenario));
  }
  if (problems.empty()) {
    for (const scenarios::Scenario& scenario : all) {
      for (const std::string& warning : scenarios::warnings(scenario))
        terminal.complain("warning: " + warning);
    }
    return all;
  }
  terminal.note(problems.text());
  return std::nullopt;
}

}  // namespace jostle::cli
