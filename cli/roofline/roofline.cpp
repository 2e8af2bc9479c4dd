// `jostle roofline`: time and energy rooflines of the GPU of a device in its power modes.
#include "analyses/roofline/roofline.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "cli/options.hpp"
#include "cli/roofline/text.hpp"
#include "cli/subcommand.hpp"
#include "input/file_id.hpp"
#include "models/dnn/model_names.hpp"
#include "output/output_file.hpp"

namespace jostle::cli {
namespace {

const std::vector<std::string> formats{"table", "csv", "json"};

struct RooflineOptions {
  analyses::RooflineQuestion question;
  std::string format, out;
};

// The format of --format, or else the format of the output file's suffix.
std::string format_of(const RooflineOptions& options) {
  if (!options.format.empty()) return options.format;
  for (const std::string& format : formats) {
    if (options.out.ends_with("." + format)) return format;
  }
  return "table";
}

std::string text_of(const analyses::RooflineAnswer& answer, const RooflineOptions& options,
                    const Terminal& terminal) {
  const std::string format = format_of(options);
  if (format == "json") return roofline_json(answer);
  if (format == "csv") return roofline_csv(answer);
  if (!options.out.empty()) return roofline_table(answer, Terminal::unlimited, false);
  return roofline_table(answer, terminal.width(), terminal.colour());
}

// The problems with each key replaced by the option that stands for it.
input::Problems as_typed(const input::Problems& problems) {
  constexpr std::pair<const char*, const char*> options[]{
      {"power_mode", "--mode"}, {"model", "--network"}, {"precision", "--precision"}, {"batch", "--batch"}};
  input::Problems typed;
  for (input::Problem problem : problems.list()) {
    const auto* const option = std::ranges::find(
        options, problem.path, [](const auto& each) { return std::string_view(each.first); });
    if (!problem.location.origin && option != std::end(options)) problem.path = option->second;
    typed.add(problem.location, problem.path, problem.message, problem.hint);
  }
  return typed;
}

ExitCode print_roofline(const RooflineOptions& options, Terminal& terminal) {
  input::note_read(options.question.device);
  for (const std::string& network : options.question.networks) input::note_read(network);
  const auto file = output::open_if_given(options.out);
  input::Problems problems;
  const auto answer = analyses::roofline(options.question, problems);
  if (!answer) {
    terminal.note(as_typed(problems).text());
    return ExitCode::bad_input;
  }
  const std::string text = text_of(*answer, options, terminal);
  if (file)
    output::write_whole(*file, text);
  else if (format_of(options) == "table")
    terminal.print(text);
  else
    terminal.print_data(text);
  return ExitCode::done;
}

}  // namespace

void add_roofline(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("roofline", "Time and energy rooflines of the GPU of a device in each power mode");
  const auto options = std::make_shared<RooflineOptions>();
  analyses::RooflineQuestion& question = options->question;
  add_value(*command, "DEVICE", question.device, "",
            "A shipped profile (see `jostle list devices`) or the path of one")
      ->required();
  add_value(*command, "--mode", question.modes, "MODE",
            "A power mode (see `jostle list modes DEVICE`); may be repeated (default: all)")
      ->allow_extra_args(false);
  add_value(*command, "--set", question.set, "KEY=VALUE",
            "Override clocks of the modes, e.g. clocks.gpu='600 MHz'")
      ->allow_extra_args(false);
  add_value(*command, "--network", question.networks, "NAME",
            "Place a network on the rooflines: a built-in name or an .onnx file; may be repeated")
      ->allow_extra_args(false);
  add_value(*command, "--precision", question.precision, "P", "fp32, tf32, fp16 (default) or int8");
  add_value(*command, "--batch", question.batch, "N", "Images per batch of the networks (default 1)")
      ->check(CLI::Range(std::int64_t{1}, dnn::max_images));
  command->add_flag("--training", question.training, "Place training steps instead of inference");
  add_value(*command, "--format", options->format, "table|csv|json",
            "A table (default), CSV, or one line of JSON")
      ->check(one_of(formats));
  add_value(*command, "--out", options->out, "FILE",
            "Output file; without --format, its suffix sets the format");
  add_examples(*command, {"roofline jetson-agx-orin-64gb --network resnet50 --out roofs.csv",
                          "roofline jetson-orin-nano --mode 15W --precision int8 --format json"});
  command->callback([&task, options] {
    task = [options](Context& context) { return print_roofline(*options, context.terminal); };
  });
}

}  // namespace jostle::cli
