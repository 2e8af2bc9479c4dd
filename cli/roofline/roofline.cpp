// `jostle roofline`: time and energy rooflines of the GPU of a device in its power modes.

#include "analyses/roofline/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/options.hpp"
#include "cli/roofline/text.hpp"
#include "cli/subcommand.hpp"
#include "input/csv.hpp"
#include "input/file_id.hpp"
#include "models/dnn/model_names.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "scenarios/result/metric_json.hpp"

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

using Json = nlohmann::ordered_json;
using analyses::ModeRoofline;
using analyses::PlacedNetwork;
using analyses::RooflineAnswer;
using power::Roofline;

std::string scaled_cell(std::optional<double> value, double unit = 1) {
  return value ? fmt::format("{:.10g}", *value / unit) : "";
}

Json energy_json(const Roofline& roofs) {
  if (!roofs.energy) return nullptr;
  const Roofline::Energy& energy = *roofs.energy;
  return {{"j_per_flop", energy.operation_j + energy.sm_operation_j},
          {"j_per_byte", energy.byte_j + energy.sm_byte_j},
          {"sm_j_per_flop", energy.sm_operation_j},
          {"sm_j_per_byte", energy.sm_byte_j},
          {"idle_w", energy.idle_w},
          {"busy_w", energy.busy_w},
          {"best_flop_per_j", metric_json(power::best_flop_per_j(roofs))},
          {"balance_flop_per_byte", metric_json(power::energy_balance(roofs))}};
}

Json roof_json(const Roofline& roofs, double intensity) {
  return {{"flop_per_byte", intensity},
          {"flop_per_s", power::attainable_flop_per_s(roofs, intensity)},
          {"flop_per_j", metric_json(power::attainable_flop_per_j(roofs, intensity))}};
}

Json network_json(const Roofline& roofs, const PlacedNetwork& network) {
  Json json{{"model", network.model}};
  if (!network.problem.empty()) {
    json["problem"] = network.problem;
    return json;
  }
  json["grade"] = network.grade;
  json["flop"] = network.flop;
  json["dram_bytes"] = network.bytes;
  json["seconds"] = network.seconds;
  json["joules"] = metric_json(network.joules);
  json["flop_per_byte"] = network.intensity();
  json["flop_per_s"] = network.flop_per_s();
  json["flop_per_j"] = metric_json(network.flop_per_j());
  json["attainable"] = roof_json(roofs, network.intensity());
  return json;
}

Json mode_json(const ModeRoofline& mode) {
  Json roof = Json::array(), networks = Json::array();
  for (const double intensity : listed_intensities()) roof.push_back(roof_json(mode.roofs, intensity));
  for (const PlacedNetwork& network : mode.networks) networks.push_back(network_json(mode.roofs, network));
  return {{"power_mode", mode.mode.empty() ? Json(nullptr) : Json(mode.mode)},
          {"gpu_mhz", mode.gpu_hz / 1e6},
          {"emc_mhz", mode.emc_hz / 1e6},
          {"sms", mode.sms},
          {"cores", mode.cores},
          {"peak_flop_per_s", mode.roofs.flop_per_s},
          {"bytes_per_s", mode.roofs.bytes_per_s},
          {"ridge_flop_per_byte", power::ridge(mode.roofs)},
          {"energy", energy_json(mode.roofs)},
          {"roof", std::move(roof)},
          {"networks", std::move(networks)}};
}

std::string energy_cells(const Roofline& roofs) {
  if (!roofs.energy) return ",,,,,,,";
  const Roofline::Energy& energy = *roofs.energy;
  constexpr double pico = 1e-12;
  return fmt::format(
      "{},{},{},{},{},{},{},{}", scaled_cell(energy.operation_j + energy.sm_operation_j, pico),
      scaled_cell(energy.byte_j + energy.sm_byte_j, pico), scaled_cell(energy.sm_operation_j, pico),
      scaled_cell(energy.sm_byte_j, pico), scaled_cell(energy.idle_w), scaled_cell(energy.busy_w),
      scaled_cell(power::best_flop_per_j(roofs), 1e9), scaled_cell(power::energy_balance(roofs)));
}

// The first cells of every row of a mode.
std::string mode_cells(const RooflineAnswer& answer, const ModeRoofline& mode) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", input::csv_field(answer.device),
                     input::csv_field(mode.mode), scaled_cell(mode.gpu_hz, 1e6),
                     scaled_cell(mode.emc_hz, 1e6), mode.sms, answer.precision, answer.batch,
                     answer.training ? "training" : "inference", scaled_cell(mode.roofs.flop_per_s, 1e9),
                     scaled_cell(mode.roofs.bytes_per_s, 1e9), scaled_cell(power::ridge(mode.roofs)),
                     energy_cells(mode.roofs));
}

struct CsvPoint {
  const char* kind;
  std::string name = {};
  double intensity = 0;
  std::optional<double> per_s = {}, per_j = {};
};

std::string point_cells(const Roofline& roofs, const CsvPoint& point, const RooflineAnswer& answer) {
  const auto& [kind, name, intensity, per_s, per_j] = point;
  return fmt::format(",{},{},{},{},{},{},{},{}\n", kind, input::csv_field(name), scaled_cell(intensity),
                     scaled_cell(per_s, 1e9), scaled_cell(per_j, 1e9),
                     scaled_cell(power::attainable_flop_per_s(roofs, intensity), 1e9),
                     scaled_cell(power::attainable_flop_per_j(roofs, intensity), 1e9),
                     answer.power_grade.value_or(""));
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
  add_value(*command, "--precision", question.precision, "P",
            "fp32, tf32, fp16 (default), int8, fp8 or nvfp4");
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

// A roofline as JSON and CSV.

std::string roofline_json(const RooflineAnswer& answer) {
  Json modes = Json::array();
  for (const ModeRoofline& mode : answer.modes) modes.push_back(mode_json(mode));
  const Json json{{"schema", "jostle.roofline/1"},
                  {"device", answer.device},
                  {"description", answer.description},
                  {"profile_hash", answer.profile_hash},
                  {"precision", answer.precision},
                  {"computed_in", answer.computed},
                  {"tensor_cores", answer.tensor_cores},
                  {"batch", answer.batch},
                  {"training", answer.training},
                  {"runtime", answer.runtime},
                  {"power_grade", answer.power_grade ? Json(*answer.power_grade) : Json(nullptr)},
                  {"modes", std::move(modes)}};
  return output::json_text(json) + "\n";
}

std::string roofline_csv(const RooflineAnswer& answer) {
  std::string text =
      "device,power_mode,gpu_mhz,emc_mhz,sms,precision,batch,work,peak_gflop_per_s,gb_per_s,ridge_flop_per_"
      "byte,pj_per_flop,pj_per_byte,sm_pj_per_flop,sm_pj_per_byte,idle_w,busy_w,best_gflop_per_j,balance_"
      "flop_per_byte,point,model,flop_per_byte,gflop_per_s,gflop_per_j,attainable_gflop_per_s,attainable_"
      "gflop_per_j,power_grade\n";
  for (const ModeRoofline& mode : answer.modes) {
    const std::string begin = mode_cells(answer, mode);
    for (const double intensity : listed_intensities())
      text += begin + point_cells(mode.roofs, {"roof", "", intensity, {}, {}}, answer);
    for (const PlacedNetwork& network : mode.networks) {
      if (!network.problem.empty()) continue;
      text += begin + point_cells(mode.roofs,
                                  {"network", network.model, network.intensity(), network.flop_per_s(),
                                   network.flop_per_j()},
                                  answer);
    }
  }
  return text;
}

}  // namespace jostle::cli
