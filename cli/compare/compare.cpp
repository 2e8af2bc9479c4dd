// `jostle compare`: two scenarios, or two profiles under one scenario, run with the same seeds.
#include "analyses/compare/compare.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "calibration/profile/profile.hpp"
#include "cli/compare/text.hpp"
#include "cli/options.hpp"
#include "cli/run/report.hpp"
#include "cli/scenario_files.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"

namespace jostle::cli {
namespace {

struct CompareAsked {
  ScenarioFiles questions;
  std::vector<std::string> profiles, set_b;
  int replications = 10;
  std::string format;
};

// The profile as the scenario's `device`, whose paths are relative to the scenario.
std::string device_assignment(const std::string& profile, const std::string& file) {
  namespace fs = std::filesystem;
  if (!input::is_path(profile)) return "device=" + profile;
  const fs::path folder = fs::path(file).parent_path();
  const std::string there = fs::proximate(profile, folder.empty() ? fs::path(".") : folder).string();
  return "device=" + (input::has_yaml_extension(there) ? there : "./" + there);
}

// Both sides as questions of their own.
std::optional<std::pair<ScenarioFiles, ScenarioFiles>> sides_of(const CompareAsked& asked,
                                                                Terminal& terminal) {
  const std::vector<std::string>& files = asked.questions.files;
  ScenarioFiles a = asked.questions, b = asked.questions;
  if (asked.profiles.size() == 2 && files.size() == 1) {
    a.options.set.push_back(device_assignment(asked.profiles[0], files[0]));
    b.options.set.push_back(device_assignment(asked.profiles[1], files[0]));
  } else if (asked.profiles.empty() && (files.size() == 2 || (files.size() == 1 && !asked.set_b.empty()))) {
    a.files = {files.front()};
    b.files = {files.back()};
  } else {
    terminal.complain(
        "compare two scenarios (A.yaml B.yaml), one with a change of it (A.yaml --set-b KEY=VALUE), or one "
        "under two profiles (A.yaml --profile X --profile Y)");
    return std::nullopt;
  }
  b.options.set.insert(b.options.set.end(), asked.set_b.begin(), asked.set_b.end());
  return std::pair(std::move(a), std::move(b));
}

ComparedNames names_of(const CompareAsked& asked) {
  const std::vector<std::string>& files = asked.questions.files;
  if (asked.profiles.size() == 2)
    return {files[0] + " on " + asked.profiles[0], files[0] + " on " + asked.profiles[1]};
  ComparedNames names{files.front(), files.back()};
  for (const std::string& change : asked.set_b) names.b += " with " + input::printable(change, 100);
  return names;
}

ExitCode tell_differences(const CompareAsked& asked, Context& context) {
  Terminal& terminal = context.terminal;
  const auto sides = sides_of(asked, terminal);
  if (!sides) return ExitCode::bad_input;
  // Both are read before either is judged, so that all that is wrong is said at once.
  const auto a = read(sides->first, terminal), b = read(sides->second, terminal);
  if (!a || !b) return ExitCode::bad_input;
  const ComparedNames names = names_of(asked);
  scenarios::RunControl control;
  control.interrupt = &context.interrupted;
  control.progress = [&](double done) { terminal.progress("compare", done); };
  analyses::Compared compared;
  try {
    compared = analyses::compare(a->front(), b->front(), asked.replications, control);
  } catch (const scenarios::Interrupted&) {
    terminal.complain("interrupted");
    return ExitCode::interrupted;
  }
  terminal.clear_progress();
  terminal.print(asked.format == "json"
                     ? comparison_json(compared, names) + "\n"
                     : comparison_text(compared, names, terminal.width(), terminal.colour()));
  const bool a_fits = say_who_fits(names.a, compared.a.front(), terminal);
  const bool b_fits = say_who_fits(names.b, compared.b.front(), terminal);
  return a_fits && b_fits ? ExitCode::done : ExitCode::no_fit;
}

}  // namespace

void add_compare(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "compare", "Run two scenarios, or one under two profiles, with the same seeds and say what differs");
  const auto asked = std::make_shared<CompareAsked>();
  add_scenario_files(*command, asked->questions);
  command->get_option("FILE")->expected(1, 2)->description("Scenario files (YAML): A and B, or one");
  command
      ->add_option("--profile", asked->profiles,
                   "Given twice: run the one scenario on this device, and on that (a name or a path)")
      ->type_name("DEVICE")
      ->allow_extra_args(false);
  command
      ->add_option("--set-b", asked->set_b, "As --set, for B only; with one file B is that file so changed")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--replications", asked->replications, "Pairs of runs, a seed each (default 10)")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command->add_option("--format", asked->format, "A table for people (default), or one line of JSON")
      ->check(one_of({"table", "json"}))
      ->type_name("table|json");
  command->callback(
      [&task, asked] { task = [asked](Context& context) { return tell_differences(*asked, context); }; });
}

}  // namespace jostle::cli
