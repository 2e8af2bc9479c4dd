// `jostle offload`: each stream on the edge, in the cloud or split, over bandwidths and round-trip times.
#include "analyses/offload/offload.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/offload/text.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/study_files.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/write_file.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

struct OffloadAsked {
  std::string study, format = "text", picture, html;
  unsigned threads = 0;
};

ExitCode tell(const OffloadAsked& asked, const analyses::OffloadAnswer& answer, Terminal& terminal) {
  if (!asked.picture.empty() && !write_file(asked.picture, offload_svg(answer), terminal))
    return ExitCode::failed;
  terminal.print(asked.format == "json"  ? offload_json(answer)
                 : asked.format == "csv" ? offload_csv(answer)
                                         : offload_text(answer, terminal.width(), terminal.colour()));
  if (!asked.html.empty()) {
    const nlohmann::ordered_json lines = json_lines(offload_json(answer));
    if (!write_file(asked.html, html_page("offload", answer.name, {{"lines", lines}}), terminal))
      return ExitCode::failed;
  }
  return ExitCode::done;
}

ExitCode decide(const OffloadAsked& asked, Context& context) {
  Terminal& terminal = context.terminal;
  input::Problems problems;
  analyses::Profiles profiles;
  const auto study = analyses::load_study(asked.study, problems);
  const auto question = study ? analyses::offload_question(*study, profiles, problems) : std::nullopt;
  if (!question) {
    terminal.note(problems.text());
    return ExitCode::bad_input;
  }
  for (const scenarios::Scenario* const scenario : {&question->edge, &question->cloud}) {
    for (const std::string& warning : scenarios::warnings(*scenario))
      terminal.complain("warning: " + warning);
  }
  analyses::OffloadControl control;
  control.threads = asked.threads;
  control.interrupt = &context.interrupted;
  control.progress = [&](std::size_t done, std::size_t of) {
    terminal.progress(fmt::format("{}: {} of {} runs", asked.study, done, of),
                      static_cast<double>(done) / static_cast<double>(of));
  };
  std::optional<analyses::OffloadAnswer> answer;
  try {
    answer = analyses::offload(*question, control);
  } catch (const scenarios::Interrupted&) {
    terminal.clear_progress();
    terminal.complain("interrupted");
    return ExitCode::interrupted;
  }
  terminal.clear_progress();
  return tell(asked, *answer, terminal);
}

}  // namespace

void add_offload(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("offload", "Edge, cloud or split: where each stream is served best, by link");
  const auto asked = std::make_shared<OffloadAsked>();
  command->add_option("STUDY", asked->study, "A study (YAML) with offload: docs/offload.md")
      ->required()
      ->type_name("");
  command
      ->add_option(
          "--format", asked->format,
          "Tables for people (default), lines of JSON, or CSV: an object or row for each point and stream")
      ->check(one_of({"text", "json", "csv"}))
      ->type_name("text|json|csv");
  command->add_option("--picture", asked->picture, "Draw who is best over RTT and bandwidth, as SVG")
      ->type_name("FILE");
  add_html(*command, asked->html);
  add_threads(*command, asked->threads, "Runs");
  command->footer(
      "\nA study:\n"
      "  scenario: {device: jetson-orin-nano-super, processes: [{model: yolov8n, precision: int8,\n"
      "             arrivals: {periodic: 30 /s}, count: 4}]}\n"
      "  offload:\n"
      "    cloud: {device: nvidia-a40, processes: [{model: yolov8n, precision: fp16}]}\n"
      "    payload: 120 kB\n"
      "    link: {bandwidth: [5 Mbit/s, 50 Mbit/s], rtt: {start: 1 ms, stop: 100 ms, step: 9 ms}}");
  command->callback([&task, asked] { task = [asked](Context& context) { return decide(*asked, context); }; });
}

}  // namespace jostle::cli
