#include "models/llm/held.hpp"

namespace jostle::llm {

double weights_held(const Architecture& of, WeightFormat format, const Serving& by) {
  constexpr double bits = 8;  // per byte
  const int own = of.tied ? 1 : 2;
  const double table = static_cast<double>(head_weights(of)) * bits_of(format, true, of.hidden) / bits;
  return weight_bytes(of, format) + std::max(by.tables - own, 0) * table;
}

double buffers_held(const Architecture& of, const Serving& by, const Load& load) {
  constexpr double half = 2, single = 4;  // bytes
  std::int64_t tokens = std::max(load.prompt, load.sequences);
  if (by.step > 0) tokens = std::min<std::int64_t>(tokens, by.step);
  const int ffn = of.experts.count > 0 ? of.experts.per_token * of.ffn + of.experts.shared_ffn : of.ffn;
  const double block = static_cast<double>(tokens) * half * (4.0 * of.hidden + 3.0 * ffn);
  const auto scored = static_cast<double>(std::max<std::int64_t>(by.scored, load.sequences));
  return std::max(block, scored * single * (static_cast<double>(of.vocabulary) + of.hidden));
}

}  // namespace jostle::llm
