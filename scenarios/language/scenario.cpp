#include "scenarios/language/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "input/printable.hpp"
#include "models/dnn/batch_norms.hpp"
#include "profiles/onnx/onnx.hpp"

namespace jostle::scenarios {

Sync default_sync(Runtime runtime) {
  return traits_of(runtime).blocks ? Sync::blocking : Sync::automatic;
}

std::string model_name(const Model& model) {
  if (const auto* built_in = std::get_if<BuiltInModel>(&model)) return built_in->name;
  if (const auto* onnx = std::get_if<OnnxModel>(&model)) return onnx->path;
  if (const auto* config = std::get_if<ConfigModel>(&model)) return config->path;
  if (const auto* products = std::get_if<ProductsModel>(&model))
    return fmt::format("products_{}x{}", products->width, products->layers);
  return "synthetic";
}

const llm::Architecture* language_model(const Model& model) {
  if (const auto* config = std::get_if<ConfigModel>(&model)) return &config->of;
  const auto* const built_in = std::get_if<BuiltInModel>(&model);
  return built_in != nullptr ? llm::find_architecture(built_in->name) : nullptr;
}

std::optional<std::string> precision_name(const ProcessEntry& process) {
  if (process.language) return std::string(llm::traits_of(process.language->weights).name);
  if (!process.work.precision) return std::nullopt;
  return to_string(*process.work.precision);
}

const char* served_unit(const ProcessEntry& process) {
  return process.language ? "sequences/s" : "images/s";
}

std::string model_name(const ProcessEntry& process) {
  std::vector<std::string> names;
  for (const ProcessEntry& part : parts_of(process)) {
    std::string name = model_name(part.work.model);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, " + "));
}

std::vector<std::vector<PartId>> parts_named(const Scenario& scenario, const std::string& name) {
  std::vector<std::vector<PartId>> found;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    const ProcessEntry& process = scenario.processes[entry];
    std::vector<PartId> all;
    for (std::size_t part = 0; part < parts_of(process).size(); ++part) all.push_back({entry, part});
    if (process.name == name) found.push_back(all);
    for (std::size_t part = 0; part < process.instances.size(); ++part)
      if (process.instances[part].name == name) found.push_back({{entry, part}});
  }
  return found;
}

std::size_t place_of_entry(const Scenario& scenario, std::size_t entry) {
  return entry + static_cast<std::size_t>(std::ranges::count_if(
                     scenario.loads, [entry](const LoadEntry& load) { return load.behind <= entry; }));
}

std::size_t place_of_load(const Scenario& scenario, std::size_t load) {
  return std::min(scenario.loads[load].behind, scenario.processes.size()) + load;
}

std::vector<ProcessInstance> expand(const Scenario& scenario) {
  std::vector<ProcessInstance> result;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    for (std::int64_t i = 0; i < scenario.processes[entry].count; ++i)
      result.push_back({result.size(), entry});
  }
  return result;
}

std::int64_t streams_of(const ProcessEntry& process) {
  std::int64_t sum = 0;
  for (const ProcessEntry& part : parts_of(process)) sum += streams_of(process, part);
  return sum;
}

std::int64_t default_host_threads(const ProcessEntry& process) {
  const bool session = traits_of(process.host.runtime).kind == RuntimeKind::session;
  return session && has_instances(process) ? streams_of(process) : 1;
}

std::vector<Draws> draws_of(const Scenario& scenario) {
  std::vector<Draws> draws;
  std::map<std::string, int> places;
  for (const ProcessEntry& entry : scenario.processes) {
    const std::string name = called(entry);
    const int place = places[name]++;
    draws.push_back(entry.draws.value_or(Draws{.name = fmt::format("{} {}", name, place), .first = 0}));
  }
  return draws;
}

namespace {

void add_warnings(const ProcessEntry& part, std::vector<std::string>& all) {
  if (const llm::Architecture* const of = language_model(part.work.model);
      of != nullptr && !of->stored.empty()) {
    const std::string_view weights = llm::traits_of(part.language->weights).name;
    if (weights != of->stored)
      all.push_back(fmt::format("{}: its weights are in {}, and run in {} as asked",
                                model_name(part.work.model), of->stored, weights));
  }
  const auto* const onnx = std::get_if<OnnxModel>(&part.work.model);
  if (onnx == nullptr || !onnx->file) return;
  // The share that is not understood, which comes first, is a warning of the result (not_understood()).
  const std::size_t from = onnx->file->missing > 0 ? 1 : 0;
  for (std::size_t i = from; i < onnx->file->warnings.size(); ++i) {
    std::string line = fmt::format("{}: {}", input::printable(onnx->path, 400), onnx->file->warnings[i]);
    if (std::ranges::find(all, line) == all.end()) all.push_back(std::move(line));
  }
  if (traits_of(part.host.runtime).lowering != dnn::Lowering::framework || onnx->separate_norms.has_value() ||
      !dnn::may_have_folded_norms(onnx->file->network))
    return;
  std::string line = fmt::format(
      "{}: no batch norms: exporters fold them into convolutions, PyTorch runs them by themselves; if the "
      "network has them, say batch_norm: separate",
      input::printable(onnx->path, 400));
  if (std::ranges::find(all, line) == all.end()) all.push_back(std::move(line));
}

}  // namespace

std::vector<std::string> warnings(const Scenario& scenario) {
  std::vector<std::string> all;
  if (scenario.power_mode_file) {
    const PowerModeFile& mode = *scenario.power_mode_file;
    for (const std::string& note : mode.notes) {
      all.push_back(
          fmt::format("{}: {}: {}", input::printable(mode.path, 400), input::printable(mode.mode), note));
    }
  }
  for (const ProcessEntry& process : scenario.processes)
    for (const ProcessEntry& part : parts_of(process)) add_warnings(part, all);
  return all;
}

}  // namespace jostle::scenarios
