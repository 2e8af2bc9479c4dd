#include "models/dnn/model_names.hpp"

#include <algorithm>
#include <numeric>

namespace jostle::dnn {
namespace {

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

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names{"fcn_resnet50", "mobilenet_v2", "resnet50"};
  return names;
}

bool is_model(std::string_view name) {
  return std::ranges::binary_search(model_names(), name);
}

std::string nearest_model(std::string_view name) {
  return *std::ranges::min_element(model_names(), {},
                                   [name](std::string_view known) { return edits(name, known); });
}

}  // namespace jostle::dnn
