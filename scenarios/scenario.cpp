#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/input/problems.hpp"
#include "calibration/readers/onnx.hpp"

namespace jostle::scenarios {

std::string model_name(const Model& model) {
  if (const auto* built_in = std::get_if<BuiltInModel>(&model)) return built_in->name;
  if (const auto* onnx = std::get_if<OnnxModel>(&model)) return onnx->path;
  return "synthetic";
}

std::vector<ProcessInstance> expand(const Scenario& scenario) {
  std::vector<ProcessInstance> result;
  for (std::size_t entry = 0; entry < scenario.processes.size(); ++entry) {
    for (std::int64_t i = 0; i < scenario.processes[entry].count; ++i)
      result.push_back({result.size(), entry});
  }
  return result;
}

std::vector<UnsupportedKey> unsupported_keys(const Scenario& scenario) {
  std::vector<UnsupportedKey> keys;
  const auto refuse = [&](bool given, std::string path, const char* what) {
    if (given) keys.push_back({std::move(path), fmt::format("{} not yet modelled", what)});
  };
  refuse(scenario.jetson_clocks == false, "jetson_clocks",
         "governors are");  // true: clocks stand at their limits
  refuse(scenario.governors.cpu.has_value(), "governors.cpu", "governors are");
  refuse(scenario.governors.gpu.has_value(), "governors.gpu", "governors are");
  refuse(scenario.power_cap.has_value(), "power_cap", "power is");
  refuse(scenario.ambient_c.has_value(), "ambient", "temperature is");
  refuse(scenario.fan.has_value(), "fan", "temperature is");
  refuse(scenario.mps, "mps", "MPS is");
  refuse(scenario.link.has_value(), "link", "the network link is");
  return keys;
}

std::vector<std::string> warnings(const Scenario& scenario) {
  std::vector<std::string> all;
  for (const ProcessEntry& process : scenario.processes) {
    const auto* const onnx = std::get_if<OnnxModel>(&process.model);
    if (onnx == nullptr || !onnx->file) continue;
    for (const std::string& warning : onnx->file->warnings) {
      std::string line = fmt::format("{}: {}", input::printable(onnx->path, 400), warning);
      if (std::ranges::find(all, line) == all.end()) all.push_back(std::move(line));
    }
  }
  return all;
}

}  // namespace jostle::scenarios
