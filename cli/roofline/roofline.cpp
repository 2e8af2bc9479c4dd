// `jostle roofline`: what a device's GPU can do at most, in time and energy, in its power modes.
#include "analyses/roofline/roofline.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/options.hpp"
#include "cli/roofline/text.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/write_file.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

const std::vector<std::string> formats{"table", "csv", "json", "svg"};

struct RooflineAsked {
  analyses::RooflineQuestion question;
  std::string format, out;
};

// As told, or as the file's name ends.
std::string format_of(const RooflineAsked& asked) {
  if (!asked.format.empty()) return asked.format;
  for (const std::string& format : formats) {
    if (asked.out.ends_with("." + format)) return format;
  }
  return "table";
}

std::string text_of(const analyses::RooflineAnswer& answer, const RooflineAsked& asked,
                    const Terminal& terminal) {
  const std::string format = format_of(asked);
  if (format == "json") return roofline_json(answer);
  if (format == "csv") return roofline_csv(answer);
  if (format == "svg") return roofline_svg(answer);
  if (!asked.out.empty()) return roofline_table(answer, Terminal::unlimited, false);
  return roofline_table(answer, terminal.width(), terminal.colour());
}

ExitCode write(const std::string& text, const RooflineAsked& asked, Terminal& terminal) {
  if (asked.out.empty()) {
    terminal.print(text);
    return ExitCode::done;
  }
  return write_file(asked.out, text, terminal) ? ExitCode::done : ExitCode::failed;
}

ExitCode tell(const RooflineAsked& asked, Terminal& terminal) {
  input::Problems problems;
  const auto answer = analyses::roofline(asked.question, problems);
  if (!answer) {
    terminal.note(problems.text());
    return ExitCode::bad_input;
  }
  return write(text_of(*answer, asked, terminal), asked, terminal);
}

}  // namespace

void add_roofline(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "roofline", "What a device's GPU can do at most in each power mode: time and energy rooflines");
  const auto asked = std::make_shared<RooflineAsked>();
  analyses::RooflineQuestion& question = asked->question;
  command
      ->add_option("DEVICE", question.device,
                   "A shipped profile (see `jostle list devices`) or the path of one")
      ->required()
      ->type_name("");
  command
      ->add_option("--mode", question.modes,
                   "A power mode (see `jostle list modes DEVICE`), again for more (default: all)")
      ->type_name("MODE")
      ->allow_extra_args(false);
  command->add_option("--set", question.set, "Clocks over those of the modes, as clocks.gpu='600 MHz'")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--network", question.networks,
                   "Place a network on the rooflines: a built-in name or an .onnx file, again for more")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--precision", question.precision, "fp32, tf32, fp16 (default) or int8")
      ->type_name("P");
  command->add_option("--batch", question.batch, "Images a batch of the networks (default 1)")
      ->check(CLI::Range(std::int64_t{1}, dnn::max_images))
      ->type_name("N");
  command->add_flag("--training", question.training, "Steps of training rather than inference");
  command
      ->add_option("--format", asked->format,
                   "A table for people (default), CSV, one line of JSON, or a picture")
      ->check(one_of(formats))
      ->type_name("table|csv|json|svg");
  command
      ->add_option("--out", asked->out,
                   "Write there; the ending of its name gives the format if none is told")
      ->type_name("FILE");
  command->callback(
      [&task, asked] { task = [asked](Context& context) { return tell(*asked, context.terminal); }; });
}

}  // namespace jostle::cli
