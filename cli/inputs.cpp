#include "cli/inputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/options.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"

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

std::optional<analyses::Study> read_study(const StudyFile& file, input::Problems& problems) {
  auto study = analyses::load_study(file.path, problems);
  if (!study || !profiles::is_another_kind(study->document, file.path, file.kinds, problems)) return study;
  return std::nullopt;
}

std::optional<ReadyStudy> ready_study(const StudyFile& file, analyses::Profiles& profiles, Context& context,
                                      const StudyCheck& check) {
  input::Problems problems;
  auto study = read_study(file, problems);
  std::optional<analyses::CheckedStudy> checked;
  if (study) {
    if (check.change) check.change(*study);
    checked = analyses::check_points(*study, profiles, check.threads, &context.interrupted, problems);
  }
  context.terminal.note(problems.text());
  if (!checked) return std::nullopt;
  for (const std::string& warning : checked->warnings) context.terminal.complain("warning: " + warning);
  return ReadyStudy{*std::move(study), *std::move(checked)};
}

void begin(analyses::Store& store, const ReadyStudy& study, analyses::Replace replace, Terminal& terminal) {
  store.begin(study.study, study.checked, replace);
  tell_damage(store, "recomputed", terminal);
}

void tell_damage(const analyses::Store& store, std::string_view done, Terminal& terminal) {
  const analyses::Damage& damage = store.damage();
  if (damage.outcomes == 0) return;
  terminal.complain(fmt::format("{}: {} damaged: {} ({})", input::printable(store.path(), 400),
                                input::counted(damage.outcomes, "outcome"), done,
                                input::printable(damage.first)));
}

std::string title_of(const analyses::Study& study) {
  const input::Node name = study.scenario ? study.scenario->find("name") : nullptr;
  if (name && !name->text.empty()) return name->text;
  return input::is_standard_input(study.origin) ? "standard input"
                                                : std::filesystem::path(study.origin).stem().string();
}

void add_replace(CLI::App& command, analyses::Replace& replace) {
  command.add_flag_callback(
      "--replace", [&replace] { replace = analyses::Replace::yes; },
      "Put this study in the place of another one in the file (results already there are kept by point)");
}

void add_threads(CLI::App& command, unsigned& threads, const std::string& what) {
  command
      .add_option_function<std::string>(
          "--threads",
          [&threads](const std::string& text) {
            const std::uint64_t count = whole_number("--threads", text);
            if (count < 1 || count > 1024) throw CLI::ValidationError("--threads", "from 1 to 1024");
            threads = static_cast<unsigned>(count);
          },
          what + " to run in parallel (default: one per core)")
      ->type_name("N");
}

}  // namespace jostle::cli
