// `jostle check`: validates scenarios and studies as strictly as a run does and reports processes that do not
// fit into memory, without running anything.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/fleet/fleet.hpp"
#include "analyses/offload/question.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/run/report.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

// A named pipe can be read only once, so it is assumed to be a scenario.
bool holds_study(const std::string& path) {
  input::Problems ignored;
  std::error_code error;
  if (!input::is_standard_input(path) && !std::filesystem::is_regular_file(path, error)) return false;
  const input::Node document = input::parse_yaml_file(path, ignored);
  return document && analyses::is_study(*document);
}

// A summary of a valid study; none if it is invalid, with its problems on standard error.
std::optional<std::string> check_study(const std::string& path, Context& context) {
  using enum profiles::DocumentKind;
  analyses::Profiles profiles;
  const auto ready = ready_study({path, {study, fleet, offload}}, profiles, context);
  if (!ready) return std::nullopt;
  input::Problems problems;
  if (ready->study.fleet) (void)analyses::check_fleet(ready->study, problems);
  if (ready->study.offload) (void)analyses::offload_question(ready->study, profiles, problems);
  context.terminal.note(problems.text());
  if (!problems.empty()) return std::nullopt;
  const std::vector<analyses::CheckedPoint>& points = ready->checked.points;
  const auto refused = std::ranges::count_if(
      points, [](const analyses::CheckedPoint& point) { return !point.is_supported(); });
  std::string text =
      fmt::format("{}: ok, a study of {}", input::file_name(path), input::counted(points.size(), "point"));
  if (refused > 0) text += fmt::format(", {} of them not supported", refused);
  return text + "\n";
}

// A valid file: either `scenario` or `study` is set.
struct CheckedFile {
  std::optional<scenarios::Scenario> scenario;
  std::optional<std::string> study;
};

ExitCode check(const ScenarioFiles& files, Context& context) {
  Terminal& terminal = context.terminal;
  std::vector<CheckedFile> all(files.files.size());
  bool valid = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& file = files.files[i];
    if (!holds_study(file)) {
      auto read_one = read({{file}, files.options}, terminal);
      if (read_one) all[i].scenario = std::move(read_one->front());
    } else if (!files.options.set.empty() || files.options.seed) {
      terminal.complain(input::file_name(file) +
                        ": --set and --seed apply to scenarios only; a study sets its own values");
    } else {
      all[i].study = check_study(file, context);
    }
    valid &= all[i].scenario || all[i].study;
  }
  if (!valid) return ExitCode::bad_input;
  bool all_fit = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].study) {
      terminal.print(*all[i].study);
      continue;
    }
    const scenarios::Scenario& scenario = *all[i].scenario;
    const std::size_t processes = scenarios::expand(scenario).size();
    const std::string what = input::counted(processes, "process", "processes");
    const scenarios::Result preview = scenarios::preview(scenario);
    for (const std::string& warning : preview.warnings) terminal.complain("warning: " + warning);
    if (say_who_fits(files.files[i], preview, terminal))
      terminal.print(fmt::format("{}: ok, {} on {}\n", input::file_name(files.files[i]), what,
                                 input::printable(scenario.device)));
    else
      all_fit = false;
  }
  return all_fit ? ExitCode::done : ExitCode::no_fit;
}

}  // namespace

void add_check(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand("check", "Check scenario or study files without running them");
  const auto files = std::make_shared<ScenarioFiles>();
  add_scenario_files(*command, *files);
  add_examples(*command, {"check gate.yaml study.yaml", "check gate.yaml --set processes.0.count=2"});
  set_task(*command, task, files, check);
}

}  // namespace jostle::cli
