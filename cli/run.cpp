// `jostle run`: checks all files, then simulates one after the other and prints each answer when it is there.
#include "scenarios/run.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/options.hpp"
#include "cli/questions.hpp"
#include "cli/report.hpp"
#include "scenarios/interval/interval.hpp"
#include "scenarios/perfetto_trace.hpp"
#include "scenarios/result_text.hpp"

namespace jostle::cli {
namespace {

enum class Format { table, json, csv };

struct RunOptions {
  Questions questions;
  Format format = Format::table;
  std::string trace;  // file; empty: none
  bool interval = false;
};

std::string text_of(const scenarios::Result& result, Format format, bool first, const Terminal& terminal) {
  switch (format) {
    case Format::json:
      return scenarios::to_json(result) + "\n";
    case Format::csv:
      return (first ? scenarios::csv_header() : "") + scenarios::to_csv(result);
    case Format::table:
      break;
  }
  return (first ? "" : "\n") + report(result, terminal.width(), terminal.colour());
}

ExitCode run_all(const RunOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  if (!options.trace.empty() && options.questions.files.size() > 1) {
    terminal.complain("--trace writes one timeline: give one scenario file");
    return ExitCode::bad_input;
  }
  const auto all = read(options.questions, terminal);
  if (!all) return ExitCode::bad_input;

  std::optional<scenarios::PerfettoTrace> trace;
  if (!options.trace.empty()) trace.emplace(options.trace);

  bool all_fit = true;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const std::string& file = options.questions.files[i];
    scenarios::RunControl control;
    control.interrupt = &context.interrupted;
    control.trace = trace ? &*trace : nullptr;
    control.progress = [&](double done) {
      terminal.progress(all->size() > 1 ? fmt::format("{} ({} of {})", file, i + 1, all->size()) : file,
                        done);
    };
    std::optional<scenarios::Result> result;
    try {
      result = options.interval ? scenarios::run_with_interval((*all)[i], control)
                                : scenarios::run((*all)[i], control);
    } catch (const scenarios::RunError& error) {
      throw scenarios::RunError(file + ": " + error.what());
    }
    if (!result) {
      terminal.complain("interrupted");
      return ExitCode::interrupted;
    }
    terminal.print(text_of(*result, options.format, i == 0, terminal));
    if (!say_who_fits(file, *result, terminal)) all_fit = false;
  }
  if (trace) trace->finish();
  return all_fit ? ExitCode::done : ExitCode::no_fit;
}

}  // namespace

void add_run(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("run", "Simulate scenarios and print the throughput and latency of each process");
  const auto options = std::make_shared<RunOptions>();
  add_questions(*command, options->questions);
  command
      ->add_option_function<std::string>(
          "--format",
          [options](const std::string& name) {
            options->format = name == "json" ? Format::json : name == "csv" ? Format::csv : Format::table;
          },
          "How to print: a table for people (default), one line of JSON a file, or CSV with a row a process")
      ->check(one_of({"table", "json", "csv"}))
      ->type_name("table|json|csv");
  command->add_flag("--interval", options->interval,
                    "Add pi90: where nine in ten measurements are expected (some 17 times the work)");
  command->add_option("--trace", options->trace, "Write a timeline that ui.perfetto.dev opens")
      ->type_name("FILE");
  command->callback(
      [&task, options] { task = [options](Context& context) { return run_all(*options, context); }; });
}

}  // namespace jostle::cli
