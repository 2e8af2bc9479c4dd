// `jostle plan`: the best point of a study, the runner-up, the Pareto front and the cost of each limit.

#include "analyses/plan/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/deploy/deploy.hpp"
#include "analyses/fleet/fleet.hpp"
#include "analyses/plan/words.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/plan/text.hpp"
#include "cli/subcommand.hpp"
#include "cli/sweep/study_page.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "models/board/spec.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {

// Adds the option; `write` is then tools, each with its folder.
void add_write(CLI::App& command, std::vector<std::string>& write);

// The best point of a study, and its board.
struct BestPoint {
  const scenarios::Scenario& scenario;
  const board::DeviceSpec& device;
  const std::string& study;  // the path
};
// A tool, and its folder.
struct ToolFolder {
  ToolFolder(std::string of, std::string at) : tool(std::move(of)), path(std::move(at)), folder(path) {}
  std::string tool, path;
  output::OutputFolder folder;
};
// Writes the folder, and on standard error its files and what the tool cannot say. Throws WriteError.
[[nodiscard]] ExitCode write_for_tool(const BestPoint& best, const ToolFolder& to, Terminal& terminal);

// `jostle plan --write TOOL DIR`: the best point in the words of a tool.

void add_write(CLI::App& command, std::vector<std::string>& write) {
  const std::vector<std::string> tools = analyses::deploy_tools();
  command
      .add_option_function<std::vector<std::string>>(
          "--write",
          [&write, tools](const std::vector<std::string>& given) {
            for (std::size_t i = 0; i < given.size(); i += 2)
              if (const std::string wrong = one_of(tools)(given[i]); !wrong.empty())
                throw CLI::ValidationError("--write", wrong);
            write = given;
          },
          "Write the best point in the words of a tool, to the new folder DIR; for several tools, again")
      ->type_size(2)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name(fmt::format("{} DIR", fmt::join(tools, "|")));
}

ExitCode write_for_tool(const BestPoint& best, const ToolFolder& to, Terminal& terminal) {
  const std::string &tool = to.tool, path = input::printable(to.path, 400);
  const analyses::Deployment made =
      analyses::deployment(tool, best.scenario, best.device, std::filesystem::path(best.study).filename());
  std::string told;
  for (const analyses::Unsaid& one : made.unsaid) told += "not said: " + one.text() + "\n";
  if (made.files.empty()) {
    terminal.complain(fmt::format("{}: not written; {} runs none of the processes\n{}", path, tool, told));
    return ExitCode::failed;
  }
  for (const analyses::DeployedFile& file : made.files) {
    to.folder.add(file.path, file.text);
    told += fmt::format("{}/{}\n", path, file.path);
  }
  to.folder.commit();
  terminal.note(told);
  return ExitCode::done;
}
namespace {

struct PlanOptions {
  std::string study, output, format, html;
  std::vector<std::string> write;  // tools, each with its folder
  unsigned threads = 0;
  bool exhaustive = false, no_interval = false, online = false;
  analyses::Replace replace = analyses::Replace::no;
  std::uint64_t simulations = 0, windows = 0;
};

// The outputs of an answer besides standard output: the file of the points, the page of --html or null, and
// the folders of --write.
struct PlanFiles {
  analyses::Store& store;
  output::OutputFile* page;
  const std::list<ToolFolder>& folders;
};

// The scenario of a point of the study; without one, of the first candidate.
scenarios::Scenario scenario_at(const analyses::Candidates& candidates, std::optional<std::size_t> point) {
  std::size_t candidate = 0;
  while (point && candidate + 1 < candidates.size() && candidates.study_point(candidate) != *point)
    ++candidate;
  return candidates.scenario(candidate);
}
scenarios::InWords in_words_at(const analyses::Candidates& candidates, std::optional<std::size_t> point) {
  return scenarios::in_words(scenarios::to_json(scenario_at(candidates, point)));
}

// Writes the HTML page. `answer`: the output of --format json.
void write_html(const PlanFiles& files, const analyses::Study& study, const std::string& answer,
                const PageWords& words) {
  output::write_whole(*files.page, html_page("plan", title_of(study),
                                             {{"words", words_json(words)},
                                              {"answer", output::parsed_json(answer)},
                                              {"points", points_page(files.store.database())}}));
}

ExitCode compare_tuners(analyses::Candidates& candidates, const PlanOptions& options, Context& context) {
  constexpr std::size_t max_points = 3000;  // all are simulated to find the true optimum
  Terminal& terminal = context.terminal;
  if (candidates.size() > max_points)
    return terminal.refuse(fmt::format("{}: {} points; --online takes at most {}",
                                       input::file_name(options.study), candidates.size(), max_points));
  analyses::OnlineSettings settings;
  settings.windows = options.windows;
  const auto comparison = analyses::tune_online(candidates, settings, &context.interrupted);
  if (!comparison) {
    terminal.complain(input::file_name(options.study) + ": no point meets the limits");
    return ExitCode::failed;
  }
  const analyses::OnlineAnswer answer{candidates, *comparison, sim::to_seconds(settings.window)};
  if (options.format == "json")
    terminal.print_data(analyses::online_json(answer) + "\n");
  else
    terminal.print(online_text(input::file_name(options.study), answer, terminal.width(), terminal.colour()));
  return ExitCode::done;
}

ExitCode plan_fleet(const analyses::Study& study, const analyses::Candidates& candidates,
                    const PlanOptions& options, const PlanFiles& files, Context& context) {
  Terminal& terminal = context.terminal;
  analyses::FleetControl control;
  control.threads = options.threads;
  control.intervals = !options.no_interval;
  control.interrupt = &context.interrupted;
  control.progress = [&](std::size_t done, std::size_t of) {
    terminal.progress(fmt::format("{}: {} of {} configurations", input::file_name(options.study), done, of),
                      static_cast<double>(done) / static_cast<double>(of));
  };
  const analyses::Fleet fleet = analyses::fleet(*study.fleet, candidates, control);
  terminal.clear_progress();
  const std::size_t first = fleet.choices.empty() ? 0 : fleet.choices.front().candidate;
  const PageWords words =
      fleet_words(fleet, scenarios::in_words(scenarios::to_json(candidates.scenario(first))));
  if (options.format == "json")
    terminal.print_data(analyses::fleet_json(fleet) + "\n");
  else
    terminal.print(words_text(words, terminal.width(), terminal.colour()));
  if (files.page != nullptr) write_html(files, study, analyses::fleet_json(fleet), words);
  return fleet.choices.empty() ? ExitCode::failed : ExitCode::done;
}

analyses::PlanControl control_of(const PlanOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  analyses::PlanControl control;
  control.exhaustive = options.exhaustive;
  control.max_evaluations = options.simulations;
  control.intervals = !options.no_interval;
  control.interrupt = &context.interrupted;
  constexpr double of_points = 0.5;  // part of the time of processes_streams_or_mps.yaml
  control.replicating = [&](double share) {
    terminal.progress(input::file_name(options.study) + ": replications of the best points",
                      of_points + (1 - of_points) * share);
  };
  control.progress = [&](std::size_t done, std::size_t of) {
    terminal.progress(
        fmt::format("{}: {} points simulated, at most {}", input::file_name(options.study), done, of),
        of_points * static_cast<double>(done) / static_cast<double>(of));
  };
  return control;
}

ExitCode plan_points(const analyses::Study& study, analyses::Candidates& candidates,
                     const PlanOptions& options, const PlanFiles& files, Context& context) {
  Terminal& terminal = context.terminal;
  const analyses::Plan plan = analyses::plan(candidates, control_of(options, context));
  terminal.clear_progress();
  PageWords words =
      plan_words(plan, in_words_at(candidates, plan.best ? std::optional(plan.best->point) : std::nullopt));
  const analyses::Asked asked = analyses::asked_of(candidates.scenario(0), candidates.values(0));
  words.scenario = asked.board;
  words.processes = {asked.networks};
  if (options.format == "json")
    terminal.print_data(analyses::plan_json(plan) + "\n");
  else
    terminal.print(words_text(words, terminal.width(), terminal.colour()));
  if (files.page != nullptr) write_html(files, study, analyses::plan_json(plan), words);
  if (!plan.best) return ExitCode::failed;
  const scenarios::Scenario best = scenario_at(candidates, plan.best->point);
  ExitCode code = ExitCode::done;
  for (const ToolFolder& to : files.folders)
    code = std::max(code, write_for_tool({best, *candidates.profiles().required(best)->spec, options.study},
                                         to, terminal));
  return code;
}

// The reason why the study is incomplete or an option does not apply to it; empty: none.
std::string unsuitable(const analyses::Study& study, const PlanOptions& options) {
  const std::string file = input::file_name(options.study);
  if (study.fleet) {
    const std::pair<bool, const char*> of_points[] = {{options.online, "--online"},
                                                      {options.exhaustive, "--exhaustive"},
                                                      {options.simulations > 0, "--simulations"},
                                                      {options.windows > 0, "--windows"},
                                                      {!options.output.empty(), "--output"},
                                                      {!options.write.empty(), "--write"}};
    for (const auto& [given, name] : of_points)
      if (given) return fmt::format("{}: {} cannot be used for a study of a fleet", file, name);
    return {};
  }
  if (study.objectives.empty())
    return file + ": no objectives; add some, such as objectives: [max system.throughput]";
  if (options.windows > 0 && !options.online) return "--windows is of --online";
  return {};
}

ExitCode make_plan(const PlanOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  if (options.online && !(options.html.empty() && options.write.empty()))
    return terminal.refuse(
        fmt::format("{} cannot be combined with --online", options.html.empty() ? "--write" : "--html"));
  analyses::Profiles profiles;
  try {
    const auto study = ready_study(
        {options.study, {profiles::DocumentKind::study, profiles::DocumentKind::fleet}}, profiles, context,
        {.threads = options.threads, .change = [](analyses::Study& read) { read.interval = false; }});
    if (!study) return ExitCode::bad_input;
    input::Problems problems;
    if (study->study.fleet && !analyses::check_fleet(study->study, problems))
      return terminal.refuse(problems);
    if (const std::string problem = unsuitable(study->study, options); !problem.empty())
      return terminal.refuse(problem);
    const auto page = output::open_if_given(options.html);
    std::list<ToolFolder> folders;
    for (std::size_t i = 0; i < options.write.size(); i += 2)
      folders.emplace_back(options.write[i], options.write[i + 1]);
    analyses::Store store(options.output);
    begin(store, *study, options.replace, terminal);
    const PlanFiles files{store, page.get(), folders};
    analyses::Candidates candidates({study->study, study->checked, profiles, store}, options.threads,
                                    &context.interrupted);
    if (!analyses::check_margins(study->study, candidates, problems)) return terminal.refuse(problems);
    if (study->study.fleet) return plan_fleet(study->study, candidates, options, files, context);
    if (options.online) return compare_tuners(candidates, options, context);
    return plan_points(study->study, candidates, options, files, context);
  } catch (const scenarios::Interrupted&) {
    terminal.clear_progress();
    terminal.complain(
        options.output.empty()
            ? "interrupted"
            : "interrupted; finished points are stored, run the same command again to continue");
    return ExitCode::interrupted;
  }
}

// Adds an option for a whole number from 1 to `most`.
void add_count(CLI::App& command, const char* name, std::uint64_t& value, std::uint64_t most,
               const char* about) {
  const auto read = [name, &value, most](const std::string& text) {
    value = whole_number(name, text);
    if (value < 1 || value > most) throw CLI::ValidationError(name, fmt::format("from 1 to {}", most));
  };
  command.add_option_function<std::string>(name, read, about)->type_name("N");
}

}  // namespace

void add_plan(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "plan", "Find the best point of a study, the Pareto front and the cost of each limit");
  const auto options = std::make_shared<PlanOptions>();
  add_value(*command, "STUDY", options->study, "", "A study (YAML) with objectives and optional constraints")
      ->required();
  add_value(*command, "-o,--output", options->output, "FILE",
            "SQLite file, as written by `jostle sweep`; points already in it are not simulated again");
  add_replace(*command, options->replace);
  command->add_flag("--exhaustive", options->exhaustive, "Simulate every point");
  add_count(*command, "--simulations", options->simulations, 1'000'000'000,
            "Maximum number of points to simulate (default: a tenth of all, at least 300)");
  command->add_flag("--no-interval", options->no_interval,
                    "Do not compute prediction intervals (saves their runs)");
  command->add_flag("--online", options->online,
                    "Compare online tuners: full sweep, Thompson sampling, gradient descent");
  add_count(*command, "--windows", options->windows, 100'000,
            "With --online: number of 1 s windows (default: three per point)");
  add_threads(*command, options->threads);
  add_html(*command, options->html);
  add_write(*command, options->write);
  add_choice(*command, "--format", options->format, "text|json", "text (default) or one line of JSON");
  command->footer(
      "\nA study adds its goal to the sweep (docs/planning.md):\n"
      "  objectives: [max system.throughput, min system.power_w]   # in order of priority\n"
      "  constraints: {system.power_w: {max: 12 W}, processes.latency_ms.p99: {max: 50 ms}}\n"
      "  plan: {indifference: 1 %, confidence: 95 %, effort: 20, headroom: 20 %, energy_price: 0.3 USD/kWh}\n"
      "or the cameras to find boards for:\n"
      "  fleet: {cameras: 40, rate: 15 /s, boards: [jetson-nano, jetson-orin-nano-super],\n"
      "          price: {jetson-nano: 129, jetson-orin-nano-super: 249},\n"
      "          constraints: {processes.latency_ms.p99: {max: 80 ms}}}");
  add_examples(*command, {"plan study.yaml", "plan study.yaml --write triton models",
                          "plan fleet.yaml --html fleet.html"});
  set_task(*command, task, options, make_plan);
}

}  // namespace jostle::cli
