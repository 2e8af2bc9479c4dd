#include "models/dnn/model_names.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "models/dnn/builders/builders.hpp"

namespace jostle::dnn {
namespace {

// Sorted by name.
constexpr std::array<Model, 7> table{{
    {"fcn_resnet50", "fcn", build_fcn_resnet50, 224,
     "FCN on ResNet-50, 21 classes, without the auxiliary head"},
    {"mobilenet_v2", "mobilenet", build_mobilenet_v2, 224, "MobileNetV2, width 1"},
    {"resnet101", "resnet", build_resnet101, 224, "ResNet-101"},
    {"resnet152", "resnet", build_resnet152, 224, "ResNet-152"},
    {"resnet18", "resnet", build_resnet18, 224, "ResNet-18"},
    {"resnet34", "resnet", build_resnet34, 224, "ResNet-34"},
    {"resnet50", "resnet", build_resnet50, 224, "ResNet-50"},
}};
static_assert(std::ranges::is_sorted(table, {}, &Model::name));

// Insertions, deletions and replacements from a to b (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const Model> models() {
  return table;
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Model& model : table) all.emplace_back(model.name);
    return all;
  }();
  return names;
}

const Model* find_model(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Model::name);
  return found == table.end() ? nullptr : found;
}

std::string nearest_model(std::string_view name) {
  return *std::ranges::min_element(model_names(), {},
                                   [name](std::string_view known) { return edits(name, known); });
}

}  // namespace jostle::dnn
