// `jostle offload`: compares edge, cloud and split execution over bandwidths and round-trip times.
#include "analyses/offload/offload.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/inputs.hpp"
#include "cli/offload/text.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/subcommand.hpp"
#include "input/file.hpp"
#include "output/output_file.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

struct OffloadOptions {
  std::string study, format = "text", html;
  unsigned threads = 0;
  bool interval = false;
};

ExitCode write_answer(const OffloadOptions& options, const std::unique_ptr<output::OutputFile>& page,
                      const analyses::OffloadAnswer& answer, const scenarios::InWords& edge,
                      Terminal& terminal) {
  const PageWords words = offload_words(answer, edge);
  if (options.format == "text")
    terminal.print(head_text(words, terminal.width(), terminal.colour()) + "\n" +
                   offload_text(answer, terminal.width(), terminal.colour()));
  else
    terminal.print_data(analyses::offload_json(answer));
  if (page) {
    const nlohmann::ordered_json lines = json_lines(analyses::offload_json(answer));
    output::write_whole(*page,
                        html_page("offload", answer.name, {{"words", words_json(words)}, {"lines", lines}}));
  }
  return ExitCode::done;
}

ExitCode run_offload(const OffloadOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  input::Problems problems;
  analyses::Profiles profiles;
  const auto study = read_study({options.study, {profiles::DocumentKind::offload}}, problems);
  const auto question = study ? analyses::offload_question(*study, profiles, problems) : std::nullopt;
  if (!question) return terminal.refuse(problems);
  for (const scenarios::Scenario* const scenario : {&question->edge, &question->cloud}) {
    for (const std::string& warning : scenarios::warnings(*scenario))
      terminal.complain("warning: " + warning);
  }
  const auto page = output::open_if_given(options.html);
  analyses::OffloadControl control;
  control.threads = options.threads;
  control.interval = options.interval;
  control.interrupt = &context.interrupted;
  control.progress = [&](std::size_t done, std::size_t of) {
    terminal.progress(fmt::format("{}: {} of {} runs", input::file_name(options.study), done, of),
                      static_cast<double>(done) / static_cast<double>(of));
  };
  const analyses::OffloadAnswer answer = analyses::offload(*question, control);
  terminal.clear_progress();
  return write_answer(options, page, answer, scenarios::in_words(scenarios::to_json(question->edge)),
                      terminal);
}

}  // namespace

void add_offload(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("offload", "Compare edge, cloud and split execution of streams over links");
  const auto options = std::make_shared<OffloadOptions>();
  add_value(*command, "STUDY", options->study, "", "A study (YAML) with a key `offload` (docs/offload.md)")
      ->required();
  add_choice(*command, "--format", options->format, "text|json",
             "Tables (default), or lines of JSON: one object per point and stream");
  command->add_flag("--interval", options->interval,
                    "Add pi90 of power, the 90 % prediction interval, of both devices (about 160 runs more)");
  add_html(*command, options->html);
  add_threads(*command, options->threads, "Runs");
  command->footer(
      "\nA study:\n"
      "  scenario: {device: jetson-orin-nano-super, processes: [{model: yolov8n, precision: int8,\n"
      "             arrivals: {periodic: 30 /s}, count: 4}]}\n"
      "  offload:\n"
      "    cloud: {device: nvidia-a40, processes: [{model: yolov8n, precision: fp16}]}\n"
      "    payload: 120 kB\n"
      "    link: {bandwidth: [5 Mbit/s, 50 Mbit/s], rtt: {start: 1 ms, stop: 100 ms, step: 9 ms}}");
  add_examples(*command, {"offload cameras.yaml", "offload cameras.yaml --html cameras.html --format json"});
  set_task(*command, task, options, run_offload);
}

}  // namespace jostle::cli
