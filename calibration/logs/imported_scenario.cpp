#include "calibration/logs/imported_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "input/printable.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

// Small letters, digits and single underscores: "YOLOv8-S" is "yolov8_s".
std::string letters_and_digits(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      plain += static_cast<char>(std::tolower(letter));
    else if (!plain.empty() && plain.back() != '_')
      plain += '_';
  }
  return plain;
}

// True if `part` stands in `name` with nothing of a longer word beside it.
bool contains_word(const std::string& name, const std::string& part) {
  for (std::size_t at = name.find(part); at != std::string::npos; at = name.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || name[at - 1] == '_') && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

}  // namespace

std::string board_keys(const ImportWishes& wishes, const std::string& other,
                       std::vector<std::string>& unsaid) {
  if (wishes.device.empty()) {
    unsaid.push_back(fmt::format("the board: {} is taken (--device NAME), in its default power mode", other));
    return fmt::format("device: {}\n", other);
  }
  const std::string text = fmt::format("device: {}\n", yaml_text(wishes.device));
  if (!wishes.power_mode.empty()) return text + fmt::format("power_mode: {}\n", yaml_text(wishes.power_mode));
  if (!wishes.default_mode.empty())
    unsaid.push_back(fmt::format("the power mode: {}, the default of {}, is taken (--power-mode NAME)",
                                 wishes.default_mode, wishes.device));
  return text;
}

bool finds_objects(const std::string& model) {
  return std::ranges::any_of(std::array{"yolo", "ssd", "retinanet", "detr"},
                             [&](const char* name) { return model.starts_with(name); });
}

std::optional<ImportedNetwork> imported_network(const std::string& onnx, const std::string& name,
                                                const ImportWishes& wishes) {
  std::error_code error;
  if (!onnx.empty() && fs::is_regular_file(onnx, error)) {
    const fs::path base = wishes.folder.empty() ? fs::current_path(error) : fs::path(wishes.folder);
    const fs::path relative = fs::relative(onnx, base, error);
    return ImportedNetwork{error || relative.empty() ? onnx : relative.string()};
  }
  if (!wishes.model.empty()) return ImportedNetwork{wishes.model};
  const std::string plain = letters_and_digits(name);
  std::string best;
  for (const std::string& known : dnn::known_names())
    if (known.size() > best.size() && contains_word(plain, letters_and_digits(known))) best = known;
  if (best.empty()) return std::nullopt;
  return ImportedNetwork{.model = dnn::catalogue_name(best), .guessed = true};
}

std::string yaml_text(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
  };
  const bool starts_well = !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 ||
                                             text.front() == '.' || text.front() == '/');
  if (starts_well && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "\"";
  for (const char c : input::printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

ImportedScenario imported_scenario(const std::string& what, const std::string& body,
                                   std::vector<std::string> unsaid) {
  std::string text = fmt::format("# Made by jostle import {}.\n", input::printable(what));
  if (!unsaid.empty()) text += "# What the configuration does not say, or a scenario cannot:\n";
  for (std::string& line : unsaid) {
    line = input::printable(line, 400);
    text += "# - " + line + "\n";
  }
  return {.text = text + body, .unsaid = std::move(unsaid)};
}

}  // namespace jostle::calibration
