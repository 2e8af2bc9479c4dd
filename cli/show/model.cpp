// `jostle show model`: the layers of a network and their totals, or the shapes of a language model.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "cli/show/network_text.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/paragraph.hpp"
#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/weights.hpp"
#include "output/json.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/readers/language_config.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load.hpp"

namespace jostle::cli {
namespace {

// A table of shapes, parameters, bytes of keys and values per token, and bytes of the weights in each format,
// with lines of at most `width` columns.
std::string language_model_table(const llm::Architecture& shown, int width) {
  std::string text =
      paragraph(fmt::format("{}, a language model ({})", shown.name, shown.source), width, 0) + "\n";
  const auto row = [&text](std::string_view what, const std::string& value) {
    text += fmt::format("{:<30} {:>14}\n", what, value);
  };
  row("parameters", fmt::format("{:.2f} million", static_cast<double>(parameters(shown)) / 1e6));
  if (shown.experts.count > 0)
    row("of these a token meets",
        fmt::format("{:.2f} million", static_cast<double>(active_parameters(shown)) / 1e6));
  const int hybrid = shown.mamba.layers > 0 ? shown.mamba.layers + shown.attention_layers() : 0;
  row("blocks of the decoder", std::to_string(shown.layers + hybrid));
  row("width", std::to_string(shown.hidden));
  row("heads of queries", fmt::format("{} of {}", shown.heads, shown.head_dim));
  row("heads of keys and values", std::to_string(shown.kv_heads));
  if (const llm::Experts& experts = shown.experts; experts.count > 0) {
    row("experts of a token", fmt::format("{} of {}", experts.per_token, experts.count));
    row("width of an expert", std::to_string(shown.ffn));
    if (experts.shared_ffn > 0) row("width of the shared expert", std::to_string(experts.shared_ffn));
  } else {
    row("width of the feed-forward", std::to_string(shown.ffn));
  }
  row("words", std::to_string(shown.vocabulary));
  if (shown.vision.layers > 0) {
    row(shown.cross > 0 ? "encoder, with keys and values" : "vision tower, parameters",
        fmt::format("{:.2f} million", static_cast<double>(vision_parameters(shown)) / 1e6));
    row(shown.cross > 0 ? "positions that are attended to" : "tokens of an image",
        std::to_string(shown.cross > 0 ? shown.cross : shown.vision.tokens));
  }
  if (shown.mamba.layers > 0)
    row("of Mamba-2; with attention", fmt::format("{}; {}", shown.mamba.layers, shown.attention_layers()));
  row("keys and values of a token", fmt::format("{:.1f} kB", kv_bytes_per_token(shown) / 1e3));
  if (shown.sliding.layers > 0)
    row("blocks with a window",
        fmt::format("{}, of {} positions", shown.sliding.layers, shown.sliding.window));
  if (state_bytes(shown) > 0)
    row("held by a sequence besides", fmt::format("{:.1f} MB", state_bytes(shown) / 1e6));
  text += "\nweights in memory\n";
  for (const llm::WeightTraits& format : llm::weight_formats)
    row(fmt::format("  {}", format.name), fmt::format("{:.2f} GB", weight_bytes(shown, format.format) / 1e9));
  return text;
}

// One line of JSON: an object with schema jostle.language_model/1 (docs/networks.md).
std::string language_model_json(const llm::Architecture& shown) {
  using Json = nlohmann::ordered_json;
  Json weights;
  for (const llm::WeightTraits& format : llm::weight_formats)
    weights[std::string(format.name)] = weight_bytes(shown, format.format);
  Json vision = nullptr, experts = nullptr;
  if (shown.experts.count > 0)
    experts = {{"count", shown.experts.count},
               {"per_token", shown.experts.per_token},
               {"shared_ffn", shown.experts.shared_ffn},
               {"active_parameters", active_parameters(shown)}};
  if (shown.vision.layers > 0)
    vision = {{"parameters", vision_parameters(shown)}, {"tokens", shown.vision.tokens}};
  return output::json_text({{"schema", "jostle.language_model/1"},
                            {"name", shown.name},
                            {"source", shown.source},
                            {"parameters", parameters(shown)},
                            {"layers", shown.layers},
                            {"hidden", shown.hidden},
                            {"heads", shown.heads},
                            {"kv_heads", shown.kv_heads},
                            {"head_dim", shown.head_dim},
                            {"ffn", shown.ffn},
                            {"vocabulary", shown.vocabulary},
                            {"tied", shown.tied},
                            {"experts", experts},
                            {"vision", vision},
                            {"kv_bytes_per_token", kv_bytes_per_token(shown)},
                            {"state_bytes", state_bytes(shown)},
                            {"weight_bytes", weights}});
}

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
  if (model == nullptr)
    throw std::invalid_argument(fmt::format("unknown model '{}' ({})", input::printable(options.name),
                                            scenarios::model_hint(options.name, options.name)));
  const int input = options.input > 0 ? static_cast<int>(options.input) : model->default_input;
  return {.name = options.name,
          .description = fmt::format("{} ({})", model->description, model->source),
          .network = model->build(input)};
}

// A language model by name or from a file; none if the name is a network's. Throws std::invalid_argument if
// the file cannot be read.
std::optional<llm::Architecture> language_model(const ModelOptions& options) {
  if (!is_config(options.name)) {
    const llm::Architecture* const found = llm::find_architecture(llm::catalogue_name(options.name));
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

// A whole number from 1 to `max`.
std::int64_t counted(const std::string& option, const std::string& text, std::int64_t max) {
  const std::uint64_t number = whole_number(option, text);
  if (number < 1 || number > static_cast<std::uint64_t>(max))
    throw CLI::ValidationError(option, fmt::format("{} is not from 1 to {}", number, max));
  return static_cast<std::int64_t>(number);
}

// An option with such a number.
void add_count(CLI::App& command, const std::string& option, const char* help, std::int64_t max,
               std::int64_t& count) {
  command
      .add_option_function<std::string>(
          option, [option, max, &count](const std::string& text) { count = counted(option, text, max); },
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
  command
      ->add_option_function<std::string>(
          "--input",
          [options](const std::string& text) {
            if (text.find('x') == std::string::npos) {
              options->input = counted("--input", text, dnn::largest_input);
              return;
            }
            input::Problems problems;
            const input::Node value = input::parse_yaml(text, "--input", problems);
            const auto size = scenarios::InputSize{}(input::Cursor(value, "", problems));
            if (!size) throw CLI::ValidationError("--input", problems.list().front().message);
            options->input = *size;
          },
          "Side of the image in pixels, or WIDTHxHEIGHT; or number of tokens (default: that of the network)")
      ->type_name("SIZE");
  add_count(*command, "--batch", "Images per batch (default 1)", dnn::max_images, options->batch);
  add_choice(*command, "--format", options->format, "table|json|csv|dot",
             "Output format: a table (default), one line of JSON, CSV with one row per layer, or dot "
             "for Graphviz");
  add_examples(*command, {"show model yolov8n --batch 4", "show model yolo26n --input 640x384",
                          "show model qwen2.5_1.5b"});
  command->callback([&task, options] {
    task = [options](Context& context) { return show_model(*options, context.terminal); };
  });
}

}  // namespace jostle::cli
