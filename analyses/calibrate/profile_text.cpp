// A calibrated profile as a file: what it is like, and what the measurements changed.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include "analyses/calibrate/calibrate.hpp"

namespace jostle::analyses {
namespace {

// Figures by the parts of their paths.
struct Branch {
  std::map<std::string, Branch> parts;
  const FittedParameter* figure = nullptr;
};

std::string quoted(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return '"' + escaped + '"';
}

// What the rows do not tell is no better known than before.
std::string figure_text(const FittedParameter& figure, const std::string& evidence) {
  const std::string rows =
      figure.told_by.empty() ? evidence : fmt::format("{}, {}", evidence, figure.told_by);
  const std::string source = figure.identified ? fmt::format("{}, +- {:.1f} %", rows, 100 * figure.sd)
                                               : fmt::format("{}; {} hardly tells", figure.source, evidence);
  return fmt::format("{{value: {}, grade: {}, source: {}}}", figure.value, figure.grade(), quoted(source));
}

void write(const Branch& branch, const std::string& indent, const std::string& evidence, std::string& text) {
  for (const auto& [name, part] : branch.parts) {
    text += fmt::format("{}{}:", indent, name);
    if (part.figure != nullptr) {
      text += ' ' + figure_text(*part.figure, evidence) + '\n';
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
  for (const FittedParameter& figure : calibration.figures) {
    if (figure.path.starts_with("factor ")) continue;
    Branch* at = &root;
    for (std::size_t begin = 0; begin <= figure.path.size();) {
      const std::size_t end = std::min(figure.path.find('.', begin), figure.path.size());
      at = &at->parts[figure.path.substr(begin, end - begin)];
      begin = end + 1;
    }
    at->figure = &figure;
  }
  std::string text = fmt::format(
      "# Written by `jostle calibrate`: {} with what {} measured figures tell of one board.\nname: {}\n"
      "description: {}\nlike: {}\n\n",
      calibration.device, calibration.rows, quoted(name),
      quoted(fmt::format("{}, calibrated from {}", calibration.device, evidence)), calibration.device);
  if (!calibration.evidence.empty()) text += fmt::format("evidence: {}\n", quoted(calibration.evidence));
  write(root, "", evidence, text);
  if (calibration.factors.empty()) return text;
  text += "\n# Measured over computed time of kernels.\nfactors:\n";
  for (const dnn::Factor& factor : calibration.factors) {
    const bool network = !factor.model.empty();
    text +=
        fmt::format("  - {{{}: {}, precision: {}, factor: {:.4f}}}\n", network ? "network" : "family",
                    network ? factor.model : factor.family, dnn::to_string(factor.precision), factor.value);
  }
  return text;
}

}  // namespace jostle::analyses
