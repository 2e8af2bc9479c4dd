#include "models/dnn/precision.hpp"

namespace jostle::dnn {

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::tf32:
      return "tf32";
    case Precision::fp16:
      return "fp16";
    case Precision::int8:
      return "int8";
  }
  return "?";
}

std::optional<Precision> parse_precision(std::string_view text) {
  for (const Precision precision : all_precisions) {
    if (text == to_string(precision)) return precision;
  }
  return std::nullopt;
}

double bytes_per_element(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return 4;
    case Precision::fp16:
      return 2;
    case Precision::int8:
      return 1;
  }
  return 4;
}

}  // namespace jostle::dnn
