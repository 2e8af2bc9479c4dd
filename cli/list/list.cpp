// `jostle list`: the devices, networks and stages that ship with this build, and the power modes of a device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/table.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "models/cpu/spec.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/readers/nvpmodel.hpp"
#include "profiles/tables/stage_costs.hpp"

namespace jostle::cli {
namespace {

Table devices(bool /*markdown*/) {
  Table table({left("device"), shrinking("description"), shrinking("power modes", 1)});
  for (const std::string& name : profiles::device_names()) {
    input::Problems problems;  // shipped profiles are tested; `show` reports the problems of a broken one
    const auto profile = profiles::shipped_profile(name, problems);
    if (!profile) continue;
    std::vector<std::string> modes;
    for (const board::PowerMode& mode : profile->spec->power_modes) modes.push_back(in_words(mode));
    table.add({name, profile->spec->description, fmt::format("{}", fmt::join(modes, " "))});
  }
  return table;
}

std::string mhz(double hz) {
  return fmt::format("{:g}", hz / 1e6);
}

// The limits of each mode; if a mode sets no limit, the maximum of the board. A minimum, if any, precedes the
// maximum.
Table power_modes(const board::DeviceSpec& device, const std::vector<board::PowerMode>& modes,
                  const std::string& default_mode) {
  Table table({left("power mode"), left(""), right("cores"), right("CPU MHz"), right("GPU MHz"), right("SMs"),
               right("EMC MHz"), right("DLA MHz")});
  const auto range = [](double min_hz, double max_hz) {
    return min_hz > 0 ? mhz(min_hz) + "-" + mhz(max_hz) : mhz(max_hz);
  };
  for (const board::PowerMode& mode : modes) {
    double fastest = 0, least = 0;
    for (std::size_t i = 0; i < device.cpu->clusters.size(); ++i) {
      if (!mode.online_cores.empty() && mode.online_cores[i] == 0) continue;
      fastest = std::max(fastest, mode.cpu_max_clock_hz.empty() ? device.cpu->clusters[i].max_clock_hz
                                                                : mode.cpu_max_clock_hz[i]);
      if (!mode.cpu_min_clock_hz.empty()) least = std::max(least, mode.cpu_min_clock_hz[i]);
    }
    table.add(
        {in_words(mode), mode.name == default_mode ? "default" : "",
         fmt::format("{}", board::online_cpus(device, &mode, std::nullopt).size()), range(least, fastest),
         range(mode.gpu_min_clock_hz.value_or(0), mode.gpu_max_clock_hz.value_or(device.gpu.max_clock_hz)),
         fmt::format("{}", mode.tpcs ? *mode.tpcs * device.gpu.sms_per_tpc : device.gpu.sm_count),
         mhz(mode.emc_max_clock_hz.value_or(device.memory.max_clock_hz)) +
             (mode.emc_max_clock_hz && mode.jetson_clocks_lifts_emc
                  ? fmt::format(" ({} after jetson_clocks)", mhz(device.memory.max_clock_hz))
                  : ""),
         mode.dla_max_clock_hz ? mhz(*mode.dla_max_clock_hz) : ""});
  }
  return table;
}

constexpr std::string_view text_family = "language model";
// True if a name, its family or a word of them begins so, as "sam" begins a word of mobile_sam.
bool is_of(std::string_view given, std::string_view name, std::string_view family) {
  const std::string asked = dnn::folded(given);
  return fmt::format("_{}_{}", name, family).find('_' + asked) != std::string::npos ||
         dnn::folded(name).starts_with(asked) || dnn::folded(family).starts_with(asked);
}

// The networks of a family or whose names begin so, or all.
Table models(std::string_view family) {
  Table table({left("model"), right("input", 4), right("params M", 3), right("GFLOP"), left("family", 2),
               left("definition", 1), shrinking("description", 5)});
  for (const dnn::Model& model : dnn::models()) {
    if (!is_of(family, model.name, model.series())) continue;
    const dnn::Network network = model.build(model.default_input);
    table.add({std::string(model.name), fmt::format("{}", model.default_input),
               fmt::format("{:.2f}", static_cast<double>(network.parameters()) / 1e6),
               fmt::format("{:.2f}", 2e-9 * static_cast<double>(network.macs())), std::string(model.series()),
               std::string(model.source), std::string(model.description)});
  }
  for (const llm::Architecture& of : llm::architectures()) {  // GFLOP: for a token without previous ones
    if (!is_of(family, of.name, text_family)) continue;
    const double weights = static_cast<double>(llm::block_weights(of) + llm::head_weights(of) -
                                               llm::parameters(of) + llm::active_parameters(of));
    table.add({std::string(of.name), "text",
               fmt::format("{:.2f}", static_cast<double>(llm::parameters(of)) / 1e6),
               fmt::format("{:.2f}", 2e-9 * weights), std::string(text_family), "transformers",
               fmt::format("{}: {} layers of {}, {} heads, {} of keys", of.source, of.layers, of.hidden,
                           of.heads, of.kv_heads)});
  }
  return table;
}

// The families and their networks' names, in lines of a terminal.
Table families() {
  constexpr std::size_t widest = 60;
  std::map<std::string_view, std::vector<std::string_view>> names;
  for (const dnn::Model& model : dnn::models()) names[model.series()].push_back(model.name);
  for (const llm::Architecture& of : llm::architectures()) names[text_family].push_back(of.name);
  Table table({left("family"), left("networks")});
  for (const auto& [family, members] : names) {
    std::string line, first(family);
    for (const std::string_view name : members) {
      if (!line.empty() && line.size() + name.size() > widest)
        table.add({std::exchange(first, ""), std::exchange(line, "")});
      line += fmt::format("{}{}", line.empty() ? "" : " ", name);
    }
    table.add({first, line});
  }
  return table;
}

// The words for stages, and what they cost.
Table stages(bool /*markdown*/) {
  Table table({left("word"), left("way"), left("on"), right("cost"), left("for each"), left("grade"),
               shrinking("source", 1)});
  for (const profiles::StageCost& cost : profiles::stage_costs()) {
    const char* const unit = cost.on == "cpu" ? "cycles" : cost.on == "gpu" ? "bytes" : "x its rate";
    const std::string per = cost.per == profiles::StagePer::output   ? "pixel of the result"
                            : cost.per == profiles::StagePer::larger ? "pixel, the larger side"
                                                                     : std::string(to_string(cost.per));
    table.add({cost.word, cost.way, cost.on, fmt::format("{:g} {}", cost.cost, unit), per, cost.grade,
               cost.source});
  }
  return table;
}

void print(const Table& table, Terminal& terminal) {
  terminal.print(table.text(terminal.width(), terminal.colour()));
}

// All settings of each mode, as written in the file.
Table settings(const profiles::NvpFile& file) {
  Table table({right("id"), left("power mode"), left(""), left("setting"), right("value")});
  for (const profiles::NvpMode& mode : file.modes) {
    for (const profiles::NvpSetting& setting : mode.settings) {
      table.add({fmt::format("{}", mode.id), input::printable(mode.name),
                 mode.id == file.default_id ? "default" : "",
                 input::printable(setting.parameter + " " + setting.argument),
                 input::printable(setting.value)});
    }
  }
  return table;
}

// The modes of an nvpmodel.conf: as power modes of `device`, or, if there is none, every setting as written.
ExitCode list_file(const std::string& path, const board::DeviceSpec* device, Terminal& terminal) {
  input::Problems problems;
  const auto file = profiles::read_nvpmodel(path, problems);
  if (file && device == nullptr) {
    print(settings(*file), terminal);
    return ExitCode::done;
  }
  std::vector<board::PowerMode> modes;
  std::vector<std::string> notes;
  std::string default_mode;
  for (const profiles::NvpMode& mode : file ? file->modes : std::vector<profiles::NvpMode>{}) {
    auto found = profiles::mode_on_board(*file, mode, *device, problems);
    if (!found) continue;
    if (mode.id == file->default_id) default_mode = mode.name;
    for (const std::string& note : found->notes) notes.push_back(input::printable(mode.name) + ": " + note);
    modes.push_back(std::move(found->mode));
  }
  if (!problems.empty()) return terminal.refuse(problems);
  for (board::PowerMode& mode : modes) mode.name = input::printable(mode.name);
  for (const std::string& note : notes) terminal.complain("warning: " + note);
  print(power_modes(*device, modes, input::printable(default_mode)), terminal);
  return ExitCode::done;
}

ExitCode list_modes(const std::string& name, const std::string& nvpmodel, Terminal& terminal) {
  if (name.empty() && !nvpmodel.empty()) return list_file(nvpmodel, nullptr, terminal);
  input::Problems problems;
  const auto profile = profiles::find_profile(name, problems);
  if (!profile) return terminal.refuse(problems);
  if (!nvpmodel.empty()) return list_file(nvpmodel, &*profile->spec, terminal);
  if (profile->spec->power_modes.empty())
    terminal.print(fmt::format("{} has no power modes: it runs without limits\n",
                               input::printable(profile->spec->name)));
  else
    print(power_modes(*profile->spec, profile->spec->power_modes, profile->spec->default_power_mode),
          terminal);
  return ExitCode::done;
}

// What is wrong with the name of a family; "" if nothing is.
std::string family_error(const std::string& given) {
  if (models(given).rows() > 0) return {};
  std::set<std::string> all{std::string(text_family)};
  for (const dnn::Model& model : dnn::models()) all.emplace(model.series());
  return fmt::format("there is no family '{}' ({})", input::printable(given),
                     input::spelling_hint(given, {all.begin(), all.end()}));
}

}  // namespace

void add_list(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand(
      "list", "List the devices, models or stages that scenarios can name, or a device's power modes");
  command->require_subcommand(0, 1);
  const auto add = [&](const char* what, const char* help, const std::function<Table(bool)>& table) {
    CLI::App* const list = command->add_subcommand(what, help);
    const auto markdown = std::make_shared<bool>(false);
    list->add_flag("--markdown", *markdown, "Print a Markdown table");
    list->callback([&task, table, markdown] {
      task = [table, markdown](Context& context) {
        if (*markdown)
          context.terminal.print_data(table(true).markdown());
        else
          print(table(false), context.terminal);
        return ExitCode::done;
      };
    });
    return list;
  };
  add_examples(*add("devices", "The shipped boards and cards", devices)->alias("boards"),
               {"list devices", "list devices --markdown"});
  const auto family = std::make_shared<std::string>();
  CLI::App* const networks =
      add("models", "The built-in networks by family, or those of a family with their sizes",
          [family](bool markdown) { return family->empty() && !markdown ? families() : models(*family); });
  networks
      ->add_option("FAMILY", *family,
                   "Of this family, or whose names begin so, with parameters and operations")
      ->type_name("")
      ->check(family_error);
  add_examples(*networks, {"list models", "list models resnet", "list models --markdown"});
  add_examples(*add("stages", "The words for stages around inference, with their costs", stages),
               {"list stages", "list stages --markdown"});
  CLI::App* const modes = command->add_subcommand("modes", "The power modes of a device and their limits");
  const auto name = std::make_shared<std::string>(), nvpmodel = std::make_shared<std::string>();
  modes->add_option("DEVICE", *name, "A shipped profile (see `jostle list devices`) or the path of one")
      ->type_name("");
  modes
      ->add_option("--nvpmodel", *nvpmodel,
                   "Read the modes from an nvpmodel.conf and apply them to the device; without a device, "
                   "print the settings as written")
      ->type_name("FILE");
  add_examples(*modes, {"list modes jetson-orin-nano", "list modes jetson-tx2 --nvpmodel nvpmodel.conf"});
  add_examples(*command, {"list", "list devices", "list modes jetson-orin-nano"});
  command->callback([&task, command] {
    if (!command->get_subcommands().empty()) return;
    task = [command](Context& context) {
      Table table({left("jostle list"), shrinking("")});
      for (const CLI::App* const each : command->get_subcommands(nullptr))
        table.add({each->get_name() == "modes" ? "modes DEVICE" : each->get_name(), each->get_description()});
      print(table, context.terminal);
      return ExitCode::done;
    };
  });
  modes->callback([&task, name, nvpmodel] {
    if (name->empty() && nvpmodel->empty()) throw CLI::RequiredError("DEVICE");
    task = [name, nvpmodel](Context& context) { return list_modes(*name, *nvpmodel, context.terminal); };
  });
}

}  // namespace jostle::cli
