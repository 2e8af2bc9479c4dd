// `jostle sweep`: simulates the points of a study in parallel and stores each when it is done.

#include "analyses/study/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/goal.hpp"
#include "analyses/plan/plan.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/query/query.hpp"
#include "cli/sweep/study_page.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

using analyses::Store;
using analyses::SweepSummary;

struct SweepOptions {
  std::string study, output, export_as, html;
  unsigned threads = 0;
  analyses::Shard shard;
  bool interval = false;
  analyses::Replace replace = analyses::Replace::no;
};

analyses::Shard shard_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw CLI::ValidationError("--shard", "not of the form 1/4");
  const std::uint64_t part = whole_number("--shard", text.substr(0, slash));
  const std::uint64_t of = whole_number("--shard", text.substr(slash + 1));
  if (part < 1 || part > of)
    throw CLI::ValidationError("--shard", "the part must be from 1 to the number of parts");
  return {part - 1, of};
}

SweepSummary run_here(const ReadyStudy& study, analyses::Profiles& profiles, Store& store,
                      analyses::SweepControl control, Context& context) {
  const auto began = std::chrono::steady_clock::now();
  control.interrupt = &context.interrupted;
  control.progress = [&](std::size_t done, std::size_t of) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    context.terminal.progress(
        fmt::format("{}: {} of {} points, {:.3g}/s", input::file_name(study.study.origin), done, of,
                    static_cast<double>(done) / seconds),
        static_cast<double>(done) / static_cast<double>(of));
  };
  const SweepSummary summary = analyses::sweep({study.study, study.checked, profiles, store}, control);
  context.terminal.clear_progress();
  return summary;
}

// The results with what is asked first beside throughput, because a narrow table hides its last columns.
std::string table_query(analyses::Database& database) {
  const analyses::SqlStatement all(database, "SELECT * FROM results LIMIT 0");
  std::vector<std::string> names;
  for (int i = 0; i < all.columns(); ++i) names.push_back(all.name(i));
  const auto behind = std::ranges::find(names, "throughput");
  for (const char* const first : {"power_w", "latency_p99_ms"}) {
    const auto found = std::ranges::find(names, first);
    if (found != names.end() && behind < found) std::rotate(behind + 1, found, found + 1);
  }
  std::string sql;
  for (const std::string& name : names) {
    sql += sql.empty() ? "SELECT " : ", ";
    sql += '"' + name + '"';  // names of the view contain no quotes
  }
  return sql + " FROM results";
}

// Prints the points as asked: as a table if they go nowhere else. As JSON the best point carries the verdict.
void export_points(const SweepOptions& options, Terminal& terminal, const analyses::Study& study,
                   analyses::Database& database, const Conclusion& conclusion) {
  const std::string best = fmt::format("{{\"point\":{},", conclusion.point.value_or(-1));
  if (options.export_as == "json")
    analyses::write_points(database, [&](std::string_view line) {
      std::string text(line);
      if (text.starts_with(best))
        text.insert(text.size() - 1,
                    ",\"verdict\":" + output::json_text(scenarios::json_of(*conclusion.verdict)));
      terminal.print_data(text + "\n");
    });
  const bool only_printed = options.output.empty() && options.export_as.empty() && options.html.empty();
  if (only_printed && conclusion.verdict)
    terminal.note(head_text(study_words(study, database, conclusion), terminal.width(), false) + "\n");
  if (options.export_as == "csv" || only_printed) {
    analyses::SqlStatement rows(database, only_printed ? table_query(database) : "SELECT * FROM results");
    print_rows(rows, only_printed ? RowFormat::brief_table : RowFormat::csv, terminal);
  }
}

// The text of the HTML page.
std::string page_of(const analyses::Study& study, analyses::Database& database, const Conclusion& conclusion,
                    const nlohmann::ordered_json& governors) {
  nlohmann::ordered_json data = study_page(study, database, conclusion);
  data["governors"] = governors;
  return html_page("sweep", title_of(study), data);
}

std::string text_of(const SweepSummary& summary, const SweepOptions& options, double seconds) {
  std::string text = fmt::format("{}: {} computed in {:.3g} s", input::file_name(options.study),
                                 input::counted(summary.computed, "point"), seconds);
  const auto add = [&text](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(summary.infeasible, "infeasible");
  add(summary.not_supported, "not supported");
  add(summary.failed, "failed");
  add(summary.reused, "already in the file");
  return text + "\n";
}

ExitCode run_study(const SweepOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  const auto began = std::chrono::steady_clock::now();
  analyses::Profiles profiles;
  SweepSummary summary;
  bool begun = false;
  Conclusion concluded;
  try {
    const auto study = ready_study({options.study, {profiles::DocumentKind::study}}, profiles, context,
                                   {.threads = options.threads, .change = [&](analyses::Study& read) {
                                      read.interval |= options.interval;
                                    }});
    if (!study) return ExitCode::bad_input;
    begun = true;
    const auto page = output::open_if_given(options.html);
    Store store(options.output);
    begin(store, *study, options.replace, terminal);
    analyses::SweepControl control;
    control.threads = options.threads;
    control.shard = options.shard;
    summary = run_here(*study, profiles, store, control, context);
    if (!summary.interrupted) concluded = conclusion_of(study->study, store.database());
    if (options.shard.of > 1) concluded = {.within = concluded.within};  // no part has the best point
    export_points(options, terminal, study->study, store.database(), concluded);
    if (page && !summary.interrupted)
      output::write_whole(*page, page_of(study->study, store.database(), concluded,
                                         governors_page(study->study, profiles, options.threads, context)));
  } catch (const scenarios::Interrupted&) {
    if (!begun) throw;
    summary.interrupted = true;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  terminal.note(text_of(summary, options, seconds.count()) + concluded.text);
  if (summary.interrupted) {
    terminal.complain(
        options.output.empty()
            ? "interrupted"
            : "interrupted; finished points are stored, run the same command again to continue");
    return ExitCode::interrupted;
  }
  return summary.failed > 0 ? ExitCode::failed : ExitCode::done;
}

}  // namespace

void add_sweep(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("sweep", "Simulate every point of a study and store each result");
  const auto options = std::make_shared<SweepOptions>();
  add_value(*command, "STUDY", options->study, "", "A study (YAML): a scenario and the keys to vary")
      ->required();
  add_value(*command, "-o,--output", options->output, "FILE",
            "SQLite file; points already in it are not computed again, so an interrupted sweep continues. "
            "Without -o, --export and --html a table is printed");
  add_replace(*command, options->replace);
  command->add_flag("--interval", options->interval,
                    "Add prediction intervals, as `interval: true` in the study does");
  add_threads(*command, options->threads);
  command
      ->add_option_function<std::string>(
          "--shard", [options](const std::string& text) { options->shard = shard_of(text); },
          "Compute only one part of the points, such as 1/4; `jostle merge` joins the files")
      ->type_name("I/N");
  add_choice(*command, "--export", options->export_as, "csv|json",
             "Also print the points: one row of CSV or one line of JSON each");
  add_html(*command, options->html);
  command->footer(
      "\nA study, all keys but scenario optional (docs/studies.md):\n"
      "  scenario: {device: jetson-orin-nano, processes: [{model: resnet50, precision: fp16}]}\n"
      "  sweep:\n"
      "    processes.0.batch: [1, 2, 4, 8, 16]\n"
      "    processes.*.count: {start: 1, stop: 8, step: 1}   # stop included; * is every process\n"
      "    power_mode: [15W, 7W]\n"
      "    clocks.gpu: [600 MHz, 300 MHz]\n"
      "  zip: [[power_mode, clocks.gpu]]                     # vary together\n"
      "  sampling: {latin_hypercube: 500, seed: 1}           # default: the full grid");
  add_examples(*command, {"sweep study.yaml", "sweep study.yaml -o study.sqlite",
                          "sweep study.yaml --shard 1/2 -o part1.sqlite"});
  set_task(*command, task, options, run_study);
}

// The conclusions from the points of a sweep.

namespace {

// The goal of a study; without objectives the greatest throughput.
analyses::Goal goal_or_throughput(const analyses::Study& study) {
  analyses::Goal goal = goal_of(study);
  if (goal.objectives > 0) return goal;
  goal.criteria.insert(goal.criteria.begin(), analyses::Criterion{});
  goal.metrics.insert(goal.metrics.begin(), "system.throughput");
  goal.objectives = 1;
  return goal;
}

}  // namespace

Conclusion conclusion_of(const analyses::Study& study, analyses::Database& database) {
  constexpr std::int64_t most = 20'000;  // points whose results are read again
  if (study.constraints.empty() && database.number("SELECT count(*) FROM results") > most) return {};
  analyses::Plan plan;
  plan.goal = goal_or_throughput(study);
  std::vector<analyses::Evaluation> evaluations;
  std::vector<std::string> settings;
  std::vector<std::int64_t> points;
  Conclusion found;
  std::size_t grows = 0, too_short = 0, unjudged = 0;
  analyses::SqlStatement rows(
      database,
      "SELECT point, settings, status, result FROM points JOIN outcomes USING (key) ORDER BY point");
  while (rows.step()) {
    if (rows.text(2) != "ok") continue;
    const analyses::ResultMetrics metrics{std::string(rows.text(3))};
    const bool p99 = metrics.find("processes.latency_ms.p99", analyses::Worst::greatest).has_value();
    (metrics.overloaded() ? grows : too_short) += p99 ? 0 : 1;
    evaluations.push_back(values_in(plan.goal, metrics));
    unjudged += !evaluations.back() && !metrics.overloaded() ? 1 : 0;
    points.push_back(rows.integer(0));
    settings.emplace_back(rows.text(1));
    if (evaluations.back() && meets_limits(plan.goal.criteria, *evaluations.back()))
      found.within.push_back(points.back());
  }
  if (grows + too_short > 0)
    found.text =
        fmt::format("{} without p99: {} overloaded, of {} the run is too short (a longer run.duration)\n",
                    input::counted(grows + too_short, "point"), grows, too_short);
  if (evaluations.empty()) return found;
  if (const auto best = best_of(plan.goal.criteria, evaluations, plan.goal.indifference)) {
    plan.best.emplace();
    plan.best->settings = settings[*best];
    plan.best->values = *evaluations[*best];
    plan.best->intervals.resize(plan.best->values.size());
    found.point = points[*best];
    plan.best->grade = grade_at(*found.point, false, database);
    plan.best->power_grade = grade_at(*found.point, true, database);
  }
  found.verdict = verdict_of(plan, {});
  if (unjudged > 0)  // one of these may be better
    found.verdict->text +=
        fmt::format("; the run is too short to judge {}", input::counted(unjudged, "other setting"));
  found.text += (plan.best ? "best: " : "") + found.verdict->text + "\n";
  return found;
}

}  // namespace jostle::cli
