#include "models/llm/weights.hpp"

namespace jostle::llm {

double weight_bytes(const Architecture& of, WeightFormat format) {
  constexpr double bits = 8, half = 2;  // bits per byte; bytes per fp16 number
  const WeightTraits& traits = traits_of(format);
  const auto blocks = static_cast<double>(block_weights(of)), head = static_cast<double>(head_weights(of));
  const auto others =
      static_cast<double>(parameters(of) - block_weights(of) - (of.tied ? 1 : 2) * head_weights(of));
  const double tables = head * traits.head_bits / bits * (of.tied ? 1 : 2);
  return blocks * traits.bits / bits + tables + half * others;
}

}  // namespace jostle::llm
