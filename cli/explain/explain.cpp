// `jostle explain`: the times of every process, the bottlenecks, and the gain of each possible change.
#include "analyses/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyses/explain/reach.hpp"
#include "analyses/interval/power_interval.hpp"
#include "cli/explain/text.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/run/report.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::cli {
namespace {

struct ExplainAsked {
  ScenarioFiles questions;
  std::vector<std::string> what_ifs;
  std::string format, html;
  bool print = false, interval = false;
};

// The changed scenarios as files that can be run.
std::string scenario_text(const analyses::Tried& tried, const std::string& file) {
  std::string text;
  int board = 0;
  for (const scenarios::Result& result : tried.results) {
    if (!text.empty()) text += "---\n";
    text += fmt::format("# {}: {}\n", input::file_name(file), input::printable(tried.what_if.label, 400));
    if (std::filesystem::path(file).has_parent_path())
      text += "# save this in the folder of that file: paths are relative to it\n";
    if (tried.results.size() > 1)
      text +=
          fmt::format("# board {} of {}: a run has one board, so save each document as a file of its own\n",
                      ++board, tried.results.size());
    text += output::json_text(output::parsed_json(result.resolved), 2) + "\n";
  }
  return text;
}

ExitCode tell_why(const ExplainAsked& asked, Context& context) {
  Terminal& terminal = context.terminal;
  const std::string& file = asked.questions.files.front();
  if (asked.print && asked.what_ifs.empty()) return terminal.refuse("--print needs --what-if NAME");
  const auto all = read(asked.questions, terminal);
  if (!all) return ExitCode::bad_input;
  const auto page = output::open_if_given(asked.html);
  const scenarios::Scenario& scenario = all->front();
  scenarios::RunControl control;
  control.interrupt = &context.interrupted;
  control.progress = [&, name = input::file_name(file)](double done) { terminal.progress(name, done); };
  double expected_s = 0;
  control.expected = [&](double cpu_seconds) {
    expected_s = cpu_seconds;
    terminal.expect(input::file_name(file), runs_of_explanation * cpu_seconds, "of CPU time");
  };
  analyses::Explanation explanation;
  try {
    explanation = analyses::explain({.scenario = scenario,
                                     .directory = std::filesystem::path(file).parent_path().string(),
                                     .what_ifs = asked.what_ifs},
                                    control);
    if (asked.interval) analyses::add_power_interval(explanation.result, scenario, control);
  } catch (const scenarios::RunError& error) {
    throw scenarios::RunError(input::file_name(file) + ": " + error.what());
  }
  terminal.clear_progress();
  for (const std::string& name : asked.what_ifs) {
    if (std::ranges::any_of(explanation.tried, [&](const auto& tried) { return tried.what_if.name == name; }))
      continue;
    return terminal.refuse(fmt::format("{}: '{}' does not apply to it", input::file_name(file), name));
  }
  if (asked.print) {
    std::string text;
    for (const analyses::Tried& tried : explanation.tried)
      text += (text.empty() ? "" : "---\n") + scenario_text(tried, file);
    terminal.print_data(text);
  } else if (asked.format == "json") {
    terminal.print_data(analyses::explanation_json(explanation) + "\n");
  } else {
    terminal.print(explanation_text(explanation, terminal.width(), terminal.colour()));
  }
  if (page) {
    const auto told = explanation.result.verdict;
    explanation.result = with_interval(explanation.result, scenario, expected_s, control);
    if (auto& verdict = explanation.result.verdict;
        verdict && verdict->text != told->text && told->met == false)
      verdict->text += analyses::reach_words(explanation.tried);  // it was judged again
    terminal.clear_progress();
    output::write_whole(
        *page, html_page("explain", "Why: " + explanation.result.scenario,
                         {{"words", words_json(explanation_words(explanation))},
                          {"explanation", output::parsed_json(analyses::explanation_json(explanation))},
                          {"result", output::parsed_json(scenarios::to_json(explanation.result))}}));
  }
  return say_who_fits(file, explanation.result, terminal) ? ExitCode::done : ExitCode::no_fit;
}

}  // namespace

void add_explain(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "explain", "Say where the time of every process goes, what is short, and what changes would bring");
  const auto asked = std::make_shared<ExplainAsked>();
  add_scenario_files(*command, asked->questions);
  command->get_option("FILE")->expected(1)->description("A scenario file (YAML)");
  add_value(*command, "--what-if", asked->what_ifs, "NAME",
            fmt::format("Try this change only, again for more (default: all that apply): {}",
                        fmt::join(analyses::what_if_names(), ", ")))
      ->check(one_of(analyses::what_if_names()))
      ->allow_extra_args(false);
  command->add_flag("--print", asked->print, "Print the changed scenario in place of the answer");
  command->add_flag("--interval", asked->interval,
                    "Add pi90 of power, the 90 % prediction interval (about 80 runs more)");
  add_choice(*command, "--format", asked->format, "text|json",
             "text for people (default), or one line of JSON");
  add_html(*command, asked->html);
  add_examples(*command, {"explain gate.yaml", "explain gate.yaml --html why.html",
                          "explain gate.yaml --what-if pinned-clocks --print"});
  set_task(*command, task, asked, tell_why);
}

}  // namespace jostle::cli
