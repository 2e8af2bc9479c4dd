// Writes a calibrated profile as a file: the base profile and the fitted parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "calibration/calibrate/calibrate.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "profiles/tables/evidence_list.hpp"

namespace jostle::calibration {
namespace {

// A tree of parameters by the steps of their paths.
struct Branch {
  std::map<std::string, Branch> parts;
  const FittedParameter* parameter = nullptr;
};

std::string quoted(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return '"' + escaped + '"';
}

// An unidentified parameter keeps the source of its prior.
std::string parameter_text(const FittedParameter& parameter, const std::string& evidence) {
  const std::string rows =
      parameter.identified_by.empty() ? evidence : fmt::format("{}, {}", evidence, parameter.identified_by);
  const std::string source = parameter.identified
                                 ? fmt::format("{}, +- {:.1f} %", rows, 100 * parameter.sd)
                                 : fmt::format("{}; not identified by {}", parameter.source, evidence);
  return fmt::format("{{value: {}, grade: {}, source: {}}}", parameter.value, parameter.grade(),
                     quoted(source));
}

void write(const Branch& branch, const std::string& indent, const std::string& evidence, std::string& text) {
  for (const auto& [name, part] : branch.parts) {
    text += fmt::format("{}{}:", indent, name);
    if (part.parameter != nullptr) {
      text += ' ' + parameter_text(*part.parameter, evidence) + '\n';
    } else {
      text += '\n';
      write(part, indent + "  ", evidence, text);
    }
  }
}

}  // namespace

std::string profile_text(const Calibration& calibration, const std::string& name,
                         const std::string& evidence) {
  Branch root;
  for (const FittedParameter& parameter : calibration.parameters) {
    if (parameter.path.starts_with("factor ")) continue;
    Branch* at = &root;
    for (std::size_t begin = 0; begin <= parameter.path.size();) {
      const std::size_t end = std::min(parameter.path.find('.', begin), parameter.path.size());
      at = &at->parts[parameter.path.substr(begin, end - begin)];
      begin = end + 1;
    }
    at->parameter = &parameter;
  }
  std::string text = fmt::format(
      "# Written by `jostle calibrate`: {} fitted to {} of one board.\nname: {}\n"
      "description: {}\nlike: {}\n\n",
      calibration.device, input::counted(calibration.rows, "measured value"), quoted(name),
      quoted(fmt::format("{}, calibrated from {}", calibration.device, evidence)),
      calibration.like.empty() ? calibration.device : quoted(calibration.like));
  if (!calibration.evidence.empty()) {
    std::vector<std::string> sources = profiles::evidence_sources(calibration.evidence);
    for (std::string& source : sources) source = calibration::quoted(source);
    text += sources.size() == 1 ? fmt::format("evidence: {}\n", sources.front())
                                : fmt::format("evidence: [{}]\n", fmt::join(sources, ", "));
  }
  write(root, "", evidence, text);
  if (calibration.factors.empty()) return text;
  text += "\n# Measured over computed kernel times.\nfactors:\n";
  for (const dnn::Factor& factor : calibration.factors) {
    const bool network = !factor.model.empty();
    text +=
        fmt::format("  - {{{}: {}, precision: {}, factor: {:.4f}", network ? "network" : "family",
                    network ? factor.model : factor.family, dnn::to_string(factor.precision), factor.value);
    if (factor.lowering != dnn::Lowering::optimised)
      text += fmt::format(", kernels: {}", dnn::to_string(factor.lowering));
    if (!factor.layers.empty())
      text += fmt::format(", batch: {}, gpu_clock: {:.6g} MHz,\n     layers: [{:.4g}]", factor.batch,
                          factor.gpu_hz / 1e6, fmt::join(factor.layers, ", "));
    text += '}';
    const auto file = calibration.files.find(factor.model);
    if (file != calibration.files.end())
      text +=
          fmt::format("  # {}", input::printable(std::filesystem::path(file->second).filename().string()));
    text += '\n';
  }
  return text;
}

}  // namespace jostle::calibration
