// `jostle support`: what a prediction for a network on a device would rest on, before anyone asks for it.
#include "analyses/support/support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "calibration/profile/profile.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::cli {
namespace {

struct SupportAsked {
  std::string device, model, precision, runtime = "tensorrt", format = "text";
  std::int64_t batch = 1;
};

// What the grades mean for a reader of the figure: docs/validation.md has the errors.
const char* meaning(gpu::Grade grade) {
  switch (grade) {
    case gpu::Grade::measured:
      return "its kernels were measured on this device";
    case gpu::Grade::interpolated:
      return "between batches that were measured on this device";
    case gpu::Grade::fitted:
      return "computed from layers, corrected by a factor that was fitted on measurements";
    case gpu::Grade::datasheet:
      return "computed from layers and the data sheet alone";
  }
  return "";
}

std::string describe(const analyses::Support& support, const SupportAsked& asked) {
  std::string text = fmt::format("{} {} b{} on {}, {}: {}\n  {}\n  basis: {}\n", asked.model, asked.precision,
                                 asked.batch, asked.device, asked.runtime, gpu::to_string(support.grade),
                                 meaning(support.grade), support.basis);
  if (!support.measured_batches.empty())
    text += fmt::format("  measured at batch {}\n", fmt::join(support.measured_batches, ", "));
  std::vector<std::string> parts;
  for (const auto& [precision, count] : support.kernels_by_precision)
    parts.push_back(fmt::format("{} in {}", count, dnn::to_string(precision)));
  if (!parts.empty()) text += fmt::format("  layers: {}\n", fmt::join(parts, ", "));
  if (!support.has_runtime) text += "  the runtime is not known on this device: a run would be refused\n";
  return text;
}

std::string json(const analyses::Support& support, const SupportAsked& asked) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::object();
  for (const auto& [precision, count] : support.kernels_by_precision)
    layers[dnn::to_string(precision)] = count;
  return nlohmann::ordered_json{{"device", asked.device},
                                {"model", asked.model},
                                {"precision", asked.precision},
                                {"batch", asked.batch},
                                {"runtime", asked.runtime},
                                {"grade", gpu::to_string(support.grade)},
                                {"basis", support.basis},
                                {"measured_batches", support.measured_batches},
                                {"layers", layers},
                                {"runtime_known", support.has_runtime}}
             .dump() +
         "\n";
}

ExitCode tell(const SupportAsked& asked, Terminal& terminal) {
  input::Problems problems;
  const auto profile = calibration::shipped_profile(asked.device, problems);
  const auto precision = dnn::parse_precision(asked.precision);
  if (dnn::find_model(asked.model) == nullptr) {
    problems.add({}, {}, fmt::format("unknown model '{}'", input::printable(asked.model)),
                 input::spelling_hint(asked.model, dnn::model_names()));
  }
  if (!precision)
    problems.add({}, {}, fmt::format("unknown precision '{}'", input::printable(asked.precision)),
                 "fp32, tf32, fp16 or int8");
  if (!problems.empty()) {
    terminal.note(problems.text());
    return ExitCode::bad_input;
  }
  try {
    const auto& runtimes = scenarios::runtime_names();
    const auto runtime =
        std::ranges::find(runtimes, asked.runtime, [](const auto& name) { return name.first; });
    const analyses::Support support =
        analyses::support(*profile, asked.model, *precision, runtime->second, asked.batch);
    terminal.print(asked.format == "json" ? json(support, asked) : describe(support, asked));
  } catch (const std::invalid_argument& error) {
    terminal.complain(error.what());
    return ExitCode::bad_input;
  }
  return ExitCode::done;
}

}  // namespace

void add_support(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("support", "What a prediction would rest on: measurements, a factor, data sheets");
  const auto asked = std::make_shared<SupportAsked>();
  command->add_option("DEVICE", asked->device, "A shipped profile (see `jostle list devices`)")
      ->required()
      ->type_name("");
  command->add_option("MODEL", asked->model, "A built-in network (see `jostle list models`)")
      ->required()
      ->type_name("");
  command->add_option("PRECISION", asked->precision, "fp32, tf32, fp16 or int8")->required()->type_name("");
  command->add_option("--runtime", asked->runtime, "tensorrt (default), cuda-graph or eager")
      ->check(one_of({"tensorrt", "cuda-graph", "eager"}))
      ->type_name("tensorrt|cuda-graph|eager");
  command->add_option("--batch", asked->batch, "Images a batch (default 1)")
      ->check(CLI::Range(std::int64_t{1}, dnn::max_images))
      ->type_name("N");
  command->add_option("--format", asked->format, "text for people (default), or one line of JSON")
      ->check(one_of({"text", "json"}))
      ->type_name("text|json");
  command->callback(
      [&task, asked] { task = [asked](Context& context) { return tell(*asked, context.terminal); }; });
}

}  // namespace jostle::cli
