// `jostle show model`: the layers of a network and their totals, or the shapes of a language model.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "cli/options.hpp"
#include "cli/show/language_model.hpp"
#include "cli/show/network_text.hpp"
#include "cli/subcommand.hpp"
#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"
#include "input/spelling.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/readers/language_config.hpp"

namespace jostle::cli {
namespace {

struct ModelOptions {
  std::string name, format = "table";
  std::int64_t input = 0;  // 0: the default of the model
  std::int64_t batch = 1;
};

bool is_file(const std::string& name) {
  return name.ends_with(".onnx");  // the same rule is used for scenarios
}
bool is_config(const std::string& name) {
  return name.ends_with(".json");
}

[[noreturn]] void refuse(const input::Problems& problems) {
  std::string text = problems.text();
  if (text.ends_with('\n')) text.pop_back();
  throw std::invalid_argument(text);
}

// The network in a file; approximations are reported as warnings. Throws std::invalid_argument if it cannot
// be read.
NamedNetwork read(const ModelOptions& options, Terminal& terminal) {
  input::Problems problems;
  const auto given = options.input > 0 ? std::optional(options.input) : std::nullopt;
  auto file = profiles::read_onnx(options.name, given, problems);
  if (!file) refuse(problems);
  for (const std::string& warning : file->warnings)
    terminal.complain(fmt::format("warning: {}: {}", input::printable(options.name, 400), warning));
  std::string description = fmt::format("ONNX, opset {}", file->opset);
  if (file->batch > 1) description += fmt::format(", one image of the file's batch of {}", file->batch);
  return {.name = options.name, .description = description, .network = std::move(file->network)};
}

// Builds a network by name. Throws std::invalid_argument for an unknown name or an input size that the
// network does not accept.
NamedNetwork build(const ModelOptions& options) {
  const dnn::Model* const model = dnn::find_model(options.name);
  if (model == nullptr) {
    std::vector<std::string> names = dnn::model_names();
    for (const llm::Architecture& each : llm::architectures()) names.emplace_back(each.name);
    throw std::invalid_argument(fmt::format("unknown model '{}' ({})", input::printable(options.name),
                                            input::spelling_hint(options.name, names)));
  }
  const int input = options.input > 0 ? static_cast<int>(options.input) : model->default_input;
  return {.name = options.name,
          .description = fmt::format("{} ({})", model->description, model->source),
          .network = model->build(input)};
}

// A language model by name or from a file; none if the name is a network's. Throws std::invalid_argument if
// the file cannot be read.
std::optional<llm::Architecture> language_model(const ModelOptions& options) {
  if (!is_config(options.name)) {
    const llm::Architecture* const found = llm::find_architecture(options.name);
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }
  input::Problems problems;
  const auto text = input::read_text_file(options.name, input::Limits{}.bytes, problems);
  auto found = text ? profiles::parse_config(*text, options.name, problems) : std::nullopt;
  if (!found) refuse(problems);
  found->name = options.name;
  found->source = "config.json of Hugging Face";
  return found;
}

// Throws std::invalid_argument for options that apply only to a network's layers.
std::string text_of(const llm::Architecture& shown, const ModelOptions& options, const Terminal& terminal) {
  if (options.input > 0 || options.batch > 1 || options.format == "csv" || options.format == "dot")
    throw std::invalid_argument(fmt::format(
        "{} is a language model: its layers depend on the tokens read and held; --format table or "
        "json shows its shapes",
        shown.name));
  return options.format == "json" ? language_model_json(shown)
                                  : language_model_table(shown, terminal.width());
}

std::string text_of(const NamedNetwork& shown, const ModelOptions& options, const Terminal& terminal) {
  if (options.format == "json") return network_json(shown, options.batch);
  if (options.format == "csv") return network_csv(shown, options.batch);
  if (options.format == "dot") return network_graphviz(shown);
  return network_table(shown, options.batch, terminal.width(), terminal.colour());
}

ExitCode show_model(const ModelOptions& options, Terminal& terminal) {
  std::string text;
  try {
    if (const auto found = language_model(options))
      text = text_of(*found, options, terminal);
    else
      text = text_of(is_file(options.name) ? read(options, terminal) : build(options), options, terminal);
  } catch (const std::invalid_argument& error) {
    return terminal.refuse(error.what());
  }
  if (options.format == "table")
    terminal.print(text);
  else
    terminal.print_data(text);
  return ExitCode::done;
}

// An option with a whole number from 1 to `max`.
void add_count(CLI::App& command, const std::string& option, const char* help, std::int64_t max,
               std::int64_t& count) {
  command
      .add_option_function<std::string>(
          option,
          [option, max, &count](const std::string& text) {
            const std::uint64_t number = whole_number(option, text);
            if (number < 1 || number > static_cast<std::uint64_t>(max))
              throw CLI::ValidationError(option, fmt::format("{} is not from 1 to {}", number, max));
            count = static_cast<std::int64_t>(number);
          },
          help)
      ->type_name("N");
}

}  // namespace

void add_show_model(CLI::App& show, Task& task) {
  CLI::App* const command =
      show.add_subcommand("model", "The layers of a network, or the shapes of a language model");
  const auto options = std::make_shared<ModelOptions>();
  add_value(*command, "NAME", options->name, "",
            "A built-in network or language model (see `jostle list models`), or the path of an .onnx "
            "file or of a config.json")
      ->required();
  add_count(*command, "--input", "Image side in pixels, or number of tokens (default: that of the network)",
            dnn::largest_input, options->input);
  add_count(*command, "--batch", "Images per batch (default 1)", dnn::max_images, options->batch);
  add_choice(*command, "--format", options->format, "table|json|csv|dot",
             "Output format: a table (default), one line of JSON, CSV with one row per layer, or dot "
             "for Graphviz");
  add_examples(*command, {"show model yolov8n --batch 4", "show model resnet50 --input 320 --format dot",
                          "show model qwen2.5_1.5b"});
  command->callback([&task, options] {
    task = [options](Context& context) { return show_model(*options, context.terminal); };
  });
}

}  // namespace jostle::cli
