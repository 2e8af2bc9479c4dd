// `jostle support`: prints the basis of a prediction for a network on a device (measurements, factors, data
// sheet).
#include "analyses/support/support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "input/printable.hpp"
#include "models/dnn/model_names.hpp"
#include "output/json.hpp"
#include "profiles/onnx/onnx.hpp"
#include "profiles/profile/own_networks.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::cli {
namespace {

struct SupportOptions {
  std::string device, model, precision, runtime = "tensorrt", format = "text";
  std::int64_t batch = 1;
};

// The meaning of a grade for a prediction; docs/validation.md lists the errors by grade.
const char* meaning(gpu::Grade grade) {
  static constexpr std::array<const char*, 4> words{
      "the kernels were measured on this device",
      "interpolated between batch sizes that were measured on this device",
      "computed from the layers, corrected by a factor fitted to measurements",
      "computed from the layers and the data sheet alone"};
  return words.at(static_cast<std::size_t>(grade));
}

std::string describe(const analyses::Support& support, const SupportOptions& options) {
  std::string text = fmt::format("{} {} b{} on {}, {}: {}\n  {}\n  basis: {}\n", options.model,
                                 options.precision, options.batch, options.device, options.runtime,
                                 gpu::to_string(support.grade), meaning(support.grade), support.basis);
  if (!support.measured_batches.empty())
    text += fmt::format("  measured at batch size {}\n", fmt::join(support.measured_batches, ", "));
  std::vector<std::string> parts;
  for (const auto& [precision, count] : support.kernels_by_precision)
    parts.push_back(fmt::format("{} in {}", count, dnn::to_string(precision)));
  if (!parts.empty()) text += fmt::format("  layers: {}\n", fmt::join(parts, ", "));
  if (!support.has_runtime) text += "  this device has no data for the runtime: a run would be rejected\n";
  return text;
}

std::string json(const analyses::Support& support, const SupportOptions& options) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::object();
  for (const auto& [precision, count] : support.kernels_by_precision)
    layers[dnn::to_string(precision)] = count;
  return output::json_text({{"device", options.device},
                            {"model", options.model},
                            {"precision", options.precision},
                            {"batch", options.batch},
                            {"runtime", options.runtime},
                            {"grade", gpu::to_string(support.grade)},
                            {"basis", support.basis},
                            {"measured_batches", support.measured_batches},
                            {"layers", layers},
                            {"runtime_known", support.has_runtime}}) +
         "\n";
}

// A built-in network, an .onnx file, or a network of the board.
scenarios::Model model_of(const std::string& name, const std::string& device, input::Problems& problems) {
  const std::string own = profiles::own_network_file(name, device);
  if (const std::string& path = own.empty() ? name : own; path.ends_with(".onnx")) {
    auto file = profiles::read_onnx(path, {}, problems);
    if (!file) return {};
    return scenarios::OnnxModel{name, path, std::make_shared<const profiles::OnnxNetwork>(*std::move(file))};
  }
  if (dnn::find_model(name) == nullptr)
    problems.add({}, {}, fmt::format("unknown model '{}'", input::printable(name)),
                 scenarios::model_hint(name, name));
  return scenarios::BuiltInModel{dnn::catalogue_name(name)};
}

ExitCode print_support(const SupportOptions& options, Terminal& terminal) {
  input::Problems problems;
  const auto profile = profiles::find_profile(options.device, problems);
  const auto precision = dnn::parse_precision(options.precision);
  const scenarios::Model model = model_of(options.model, options.device, problems);
  if (!precision)
    problems.add({}, {}, fmt::format("unknown precision '{}'", input::printable(options.precision)),
                 "fp32, tf32, fp16, int8, fp8 or nvfp4");
  if (!problems.empty()) return terminal.refuse(problems);
  try {
    const auto& runtimes = scenarios::runtime_names();
    const auto runtime =
        std::ranges::find(runtimes, options.runtime, [](const auto& name) { return name.first; });
    const analyses::Support support =
        analyses::support(*profile, model, *precision, runtime->second, options.batch);
    if (options.format == "json")
      terminal.print_data(json(support, options));
    else
      terminal.print(describe(support, options));
  } catch (const std::invalid_argument& error) {
    return terminal.refuse(error.what());
  }
  return ExitCode::done;
}

}  // namespace

void add_support(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "support", "Show the basis of a prediction: measurements, a fitted factor or the data sheet");
  const auto options = std::make_shared<SupportOptions>();
  add_value(*command, "DEVICE", options->device, "",
            "A shipped profile (see `jostle list devices`), or the file of one")
      ->required();
  add_value(*command, "MODEL", options->model, "",
            "A built-in network (see `jostle list models`), an .onnx file, or one recorded on the board of "
            "DEVICE: mine/NAME of mine.yaml")
      ->required();
  add_value(*command, "PRECISION", options->precision, "", "fp32, tf32, fp16, int8, fp8 or nvfp4")
      ->required();
  std::vector<std::string> runtimes;
  for (const auto& [name, runtime] : scenarios::runtime_names())
    if (process::traits_of(runtime).kind != process::RuntimeKind::cores) runtimes.emplace_back(name);
  add_value(*command, "--runtime", options->runtime, "RUNTIME",
            fmt::format("Default: tensorrt; or {}", fmt::join(runtimes | std::views::drop(1), ", ")))
      ->check(one_of(runtimes));
  add_value(*command, "--batch", options->batch, "N", "Images per batch (default 1)")
      ->check(CLI::Range(std::int64_t{1}, dnn::max_images));
  add_choice(*command, "--format", options->format, "text|json", "text (default) or one line of JSON");
  add_examples(*command,
               {"support jetson-nano resnet50 fp16", "support jetson-orin-nano yolov8n int8 --batch 8"});
  command->callback([&task, options] {
    task = [options](Context& context) { return print_support(*options, context.terminal); };
  });
}

}  // namespace jostle::cli
