// `jostle check`: reads scenarios and studies as strictly as a run does, tells what will not fit into memory,
// and runs nothing.
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
#include "cli/run/report.hpp"
#include "cli/scenario_files.hpp"
#include "cli/study_files.hpp"
#include "input/parse.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

// A pipe can be read but once: it is taken for a scenario.
bool holds_study(const std::string& path) {
  input::Problems ignored;
  if (!std::filesystem::is_regular_file(path)) return false;
  const input::Node document = input::parse_yaml_file(path, ignored);
  return document && analyses::is_study(*document);
}

// What a right study amounts to; none if it is wrong, which has then been said on standard error.
std::optional<std::string> check_study(const std::string& path, Context& context) {
  analyses::Profiles profiles;
  const auto ready = ready_study(path, 0, profiles, context, true, [](analyses::Study&) {});
  if (!ready) return std::nullopt;
  input::Problems problems;
  if (ready->study.fleet) (void)analyses::check_fleet(ready->study, problems);
  if (ready->study.offload) (void)analyses::offload_question(ready->study, profiles, problems);
  context.terminal.note(problems.text());
  if (!problems.empty()) return std::nullopt;
  const std::vector<analyses::CheckedPoint>& points = ready->checked.points;
  const auto refused = std::ranges::count_if(
      points, [](const analyses::CheckedPoint& point) { return !point.problem.empty(); });
  std::string text =
      fmt::format("{}: ok, a study of {} point{}", path, points.size(), points.size() == 1 ? "" : "s");
  if (refused > 0) text += fmt::format(", {} of them not supported", refused);
  return text + "\n";
}

// Either is set.
struct Right {
  std::optional<scenarios::Scenario> scenario;
  std::optional<std::string> study;
};

ExitCode check(const ScenarioFiles& questions, Context& context) {
  Terminal& terminal = context.terminal;
  std::vector<Right> all(questions.files.size());
  bool right = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& file = questions.files[i];
    if (!holds_study(file)) {
      auto read_one = read({{file}, questions.options}, terminal);
      if (read_one) all[i].scenario = std::move(read_one->front());
    } else if (!questions.options.set.empty() || questions.options.seed) {
      terminal.complain(file + ": --set and --seed are for scenarios; a study holds its own");
    } else {
      all[i].study = check_study(file, context);
    }
    right &= all[i].scenario || all[i].study;
  }
  if (!right) return ExitCode::bad_input;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].study) {
      terminal.print(*all[i].study);
      continue;
    }
    const scenarios::Scenario& scenario = *all[i].scenario;
    const std::size_t processes = scenarios::expand(scenario).size();
    terminal.print(fmt::format("{}: ok, {} process{} on {}\n", questions.files[i], processes,
                               processes == 1 ? "" : "es", scenario.device));
    (void)say_who_fits(questions.files[i], scenarios::preview(scenario), terminal);
  }
  return ExitCode::done;
}

}  // namespace

void add_check(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("check", "Say what is wrong with scenario or study files, without running them");
  const auto questions = std::make_shared<ScenarioFiles>();
  add_scenario_files(*command, *questions);
  command->callback([&task, questions] {
    task = [questions](Context& context) {
      try {
        return check(*questions, context);
      } catch (const scenarios::Interrupted&) {
        context.terminal.complain("interrupted");
        return ExitCode::interrupted;
      }
    };
  });
}

}  // namespace jostle::cli
