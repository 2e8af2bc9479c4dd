// `jostle run`: checks all files, then simulates one after the other and prints each answer when it is
// complete.
#include "scenarios/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analyses/explain/explain.hpp"
#include "analyses/interval/interval.hpp"
#include "analyses/verdict/verdict.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/run/report.hpp"
#include "input/file.hpp"
#include "models/board/spec.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/cpu_time.hpp"
#include "scenarios/timeline/chrome_trace.hpp"
#include "scenarios/timeline/trace_tee.hpp"

namespace jostle::cli {
namespace {

enum class Format { table, json, csv };

struct RunOptions {
  ScenarioFiles questions;
  Format format = Format::table;
  std::string trace, html;  // file names; empty: none
  bool interval = false;
};

// The words of a result; after hours in the heat also how warm that is with which cooler, how far off by the
// usual error of the cooler's grade, and from where on clocks fall.
PageWords words_of(const scenarios::Scenario& scenario, const scenarios::Result& result) {
  PageWords words = report_words(result);
  const auto& celsius = result.system.temperature_c;
  if (scenario.run.thermal != scenarios::ThermalStart::equilibrium || !celsius) return words;
  input::Problems problems;
  const auto profile = scenarios::device_profile(scenario, problems);
  if (!profile) return words;
  auto grade = profiles::ParameterGrade::measured;
  for (const profiles::ProfileParameter& one : profile->figures)
    if (one.path.starts_with("power.thermal.stages")) grade = std::max(grade, one.from.grade);
  const double off = scenarios::usual_error_share(to_string(grade)).value_or(0);
  std::string& answer = words.verdict ? words.verdict->text : words.answer.front().lines.front();
  answer += fmt::format(
      "; after hours at this load the chip has {:.0f} degC {} its fan ({}: some {:.0f} K more or less), and "
      "throttles from {:.0f} degC on",
      *celsius, scenario.fan.value_or(true) ? "with" : "without", to_string(grade),
      off * std::abs(*celsius - scenario.ambient_c.value_or(25)), profile->spec->power->thermal->passive_c);
  return words;
}

std::string text_of(const scenarios::Scenario& scenario, const scenarios::Result& result, Format format,
                    bool first, const Terminal& terminal) {
  switch (format) {
    case Format::json:
      return scenarios::to_json(result) + "\n";
    case Format::csv:
      return (first ? scenarios::csv_header() : "") + scenarios::to_csv(result);
    case Format::table:
      break;
  }
  PageWords words = words_of(scenario, result);
  words.why = analyses::reasons_of(result, analyses::explained_groups(scenario, result));
  return (first ? "" : "\n") + head_text(words, terminal.width(), terminal.colour()) + "\n" +
         report(result, terminal.width(), terminal.colour());
}

// The timeline of a run for its file, for the page, or for both.
class Timelines {
 public:
  Timelines(sim::Duration warmup, scenarios::ChromeTrace* file, bool page) {
    constexpr std::size_t max_events = 20'000;  // a page of one or two megabytes
    const sim::Time begin = sim::Time::zero() + warmup;
    if (page)
      page_.emplace(scenarios::ChromeTrace::Window{begin, begin + sim::milliseconds(100), max_events});
    if (file != nullptr && page_)
      sink_ = &both_.emplace(*file, *page_);
    else
      sink_ = page_ ? static_cast<sim::TraceSink*>(&*page_) : file;
  }

  [[nodiscard]] sim::TraceSink* sink() const { return sink_; }
  [[nodiscard]] nlohmann::ordered_json of_page() {
    page_->finish();
    auto timeline = output::parsed_json(page_->text());
    timeline["window_us"] = {sim::to_us(page_->window().begin - sim::Time::zero()),
                             sim::to_us(page_->window().end - sim::Time::zero())};
    return timeline;
  }

 private:
  std::optional<scenarios::ChromeTrace> page_;
  std::optional<scenarios::TraceTee> both_;
  sim::TraceSink* sink_ = nullptr;
};

// False, with a message, if the timeline could not be written.
bool finish(scenarios::ChromeTrace* trace, Terminal& terminal) {
  if (trace == nullptr) return true;
  try {
    trace->finish();
  } catch (const output::WriteError& error) {
    terminal.complain(error.what());
    return false;
  }
  return true;
}

void print(const scenarios::Scenario& scenario, const scenarios::Result& result, Format format, bool first,
           Terminal& terminal) {
  const std::string text = text_of(scenario, result, format, first, terminal);
  if (format == Format::table)
    terminal.print(text);
  else
    terminal.print_data(text);
}

// The words of a page, with what `jostle explain` says of the scenario unless that would take long.
PageWords words_of(const scenarios::Result& result, const analyses::ExplainQuestion& question,
                   double cpu_seconds, const scenarios::RunControl& control) {
  PageWords words = words_of(question.scenario, result);
  if (runs_of_explanation * cpu_seconds > scenarios::most_unasked_s) {
    words.why = analyses::reasons_of(result, analyses::explained_groups(question.scenario, result));
    words.why.push_back(
        fmt::format("`jostle explain` says why, and what changes would bring; here it takes {} of CPU time",
                    about(runs_of_explanation * cpu_seconds)));
    return words;
  }
  scenarios::RunControl quiet;
  quiet.interrupt = control.interrupt;
  quiet.progress = control.progress;
  add_reasons(words, analyses::explain(question, quiet));
  return words;
}

// The page of the runs, [{"words", "result", "timeline"}], of so many scenarios.
std::string page_of(const std::vector<scenarios::Scenario>& all, nlohmann::ordered_json runs) {
  const std::string title = all.size() > 1 ? fmt::format("{} scenarios", all.size()) : all.front().name;
  return html_page("run", title, {{"runs", std::move(runs)}});
}

// The same run again, for its timeline from the end of the warm-up on that it found.
void run_again(const scenarios::Scenario& scenario, Timelines& timelines, Context& context) {
  scenarios::RunControl again;
  again.interrupt = &context.interrupted;
  again.trace = timelines.sink();
  if (!scenarios::run(scenario, again)) throw scenarios::Interrupted();
}

ExitCode run_all(const RunOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  if (!options.trace.empty() && options.questions.files.size() > 1)
    return terminal.refuse("--trace writes one timeline: give one scenario file");
  const auto all = read(options.questions, terminal);
  if (!all) return ExitCode::bad_input;

  const auto trace =
      options.trace.empty() ? nullptr : std::make_unique<scenarios::ChromeTrace>(options.trace);
  const auto page = output::open_if_given(options.html);

  bool all_fit = true, traced = true;
  auto runs = nlohmann::ordered_json::array();  // {"result", "timeline"}, for the page
  for (std::size_t i = 0; i < all->size(); ++i) {
    const std::string& file = options.questions.files[i];
    scenarios::RunControl control;
    control.interrupt = &context.interrupted;
    std::optional<Timelines> timelines(std::in_place, (*all)[i].run.warmup, trace.get(), page != nullptr);
    control.trace = timelines->sink();
    const std::string name = input::file_name(file);
    control.progress = [&terminal, what = all->size() > 1
                                              ? fmt::format("{} ({} of {})", name, i + 1, all->size())
                                              : name](double done) { terminal.progress(what, done); };
    double expected_s = 0;
    terminal.expect(name, 0, {});  // it tells by itself: simulated time passes faster where batches repeat
    control.expected = [&](double cpu_seconds) {
      if (!options.interval) expected_s = cpu_seconds;  // one run's
      terminal.expect(name, cpu_seconds, "of CPU time; a shorter run takes less");
    };
    std::optional<scenarios::Result> result;
    try {
      result = options.interval ? analyses::run_with_interval((*all)[i], control)
                                : analyses::run_and_judge((*all)[i], control);
    } catch (const scenarios::RunError& error) {
      (void)finish(trace.get(), terminal);  // the timeline up to the error
      throw scenarios::RunError(input::file_name(file) + ": " + error.what());
    } catch (const scenarios::Interrupted&) {
      (void)finish(trace.get(), terminal);
      throw;
    }
    traced = finish(trace.get(), terminal);  // before anything is printed, because printing may fail
    if (!result) throw scenarios::Interrupted();
    print((*all)[i], *result, options.format, i == 0, terminal);
    if (page) {
      const scenarios::Result shown = with_interval(*result, (*all)[i], expected_s, control);
      const std::string folder = std::filesystem::path(file).parent_path().string();
      const analyses::ExplainQuestion question{.scenario = (*all)[i], .directory = folder, .what_ifs = {}};
      if ((*all)[i].run.warmup_found)
        run_again((*all)[i], timelines.emplace(sim::seconds(result->warmup.set_s), nullptr, true), context);
      runs.push_back({{"words", words_json(words_of(shown, question, expected_s, control))},
                      {"result", output::parsed_json(scenarios::to_json(shown))},
                      {"timeline", timelines->of_page()}});
    }
    if (!say_who_fits(file, *result, terminal)) all_fit = false;
  }
  if (page) output::write_whole(*page, page_of(*all, std::move(runs)));
  if (!traced) return ExitCode::failed;
  return all_fit ? ExitCode::done : ExitCode::no_fit;
}

}  // namespace

void add_run(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("run", "Simulate scenarios and print the throughput and latency of each process");
  const auto options = std::make_shared<RunOptions>();
  add_scenario_files(*command, options->questions);
  command
      ->add_option_function<std::string>(
          "--replications",
          [options](const std::string& text) {
            const std::uint64_t count = whole_number("--replications", text);
            options->questions.options.others.push_back(
                {"--replications " + text, fmt::format("run.replications={}", count)});
          },
          "Number of independent replications, run in parallel; prints their means. Overrides the files")
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--format",
          [options](const std::string& name) {
            options->format = name == "json" ? Format::json : name == "csv" ? Format::csv : Format::table;
          },
          "How to print: a table for people (default), one line of JSON a file, or CSV with a row a process")
      ->check(one_of({"table", "json", "csv"}))
      ->type_name("table|json|csv");
  command
      ->add_option_function<std::string>(
          "--thermal",
          [options](const std::string& start) {
            options->questions.options.others.push_back({"--thermal " + start, "run.thermal=" + start});
          },
          "How warm the board begins: as after a long time idle (default), or at this very load")
      ->check(one_of({"idle", "equilibrium"}))
      ->type_name("idle|equilibrium");
  command->add_flag("--interval", options->interval,
                    "Add pi90, the 90 % prediction interval (24 to 80 times the work)");
  add_value(*command, "--trace", options->trace, "FILE",
            "Write a timeline, of the first replication, as Chrome's JSON, which ui.perfetto.dev opens");
  add_html(*command, options->html);
  add_examples(*command, {"run gate.yaml", "run gate.yaml --set processes.0.batch=8 --seed 7 --format json",
                          "run - --trace gate.json < gate.yaml"});
  set_task(*command, task, options, run_all);
}

}  // namespace jostle::cli
