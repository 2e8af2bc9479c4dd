#include "models/dnn/precision.hpp"

namespace jostle::dnn {

const char* to_string(Precision precision) {
  static constexpr std::array words{"fp32", "tf32", "fp16", "int8", "fp8", "nvfp4"};
  return words.at(static_cast<std::size_t>(precision));
}

std::optional<Precision> parse_precision(std::string_view text) {
  for (const Precision precision : all_precisions) {
    if (text == to_string(precision)) return precision;
  }
  return std::nullopt;
}

double bytes_per_element(Precision precision) {
  static constexpr std::array<double, all_precisions.size()> bytes{4, 4, 2, 1, 1, 4.5 / 8};
  return bytes.at(static_cast<std::size_t>(precision));
}

}  // namespace jostle::dnn
