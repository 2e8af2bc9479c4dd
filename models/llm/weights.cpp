#include "models/llm/weights.hpp"

#include <algorithm>

namespace jostle::llm {

// Q4_K and Q6_K are blocks of 256 weights of a row. Rows of another width are in blocks of 32: Q5_0 with 5.5
// bits and Q8_0 with 8.5 (llama.cpp, llama-quant.cpp: "using fallback quantization"). So a file of gemma3_1b
// has 6.5 bits per weight and one of qwen2.5_0.5b 6.4, where one of a multiple of 256 has 4.9.
constexpr std::int64_t block_of_k = 256;
constexpr double narrow_bits = 5.5, narrow_head_bits = 8.5;

double bits_of(WeightFormat format, bool head, std::int64_t columns) {
  const WeightTraits& traits = traits_of(format);
  if (format == WeightFormat::q4_k_m && columns % block_of_k != 0)
    return head ? narrow_head_bits : narrow_bits;
  if (format == WeightFormat::q4_0 && head && columns % block_of_k != 0) return narrow_head_bits;
  return head ? traits.head_bits : traits.bits;
}

RowCost row_cost(WeightFormat format, bool head, std::int64_t columns) {
  // The fifth bit of a weight in Q5_0 lies apart and is put in with two instructions more. Fitted to
  // gemma3_1b and smollm2_135m on an Orin Nano Super (evidence/language/published.csv).
  constexpr double of_fifth_bits = 1.4;
  using enum WeightFormat;
  RowCost cost{.unpacked_as = format == gptq || format == w4a8 ? awq : format};
  if (format == WeightFormat::q4_k_m && columns % block_of_k != 0) {
    if (head)
      cost.unpacked_as = WeightFormat::q8_0;
    else
      cost.unpacking = of_fifth_bits;
  }
  constexpr std::int64_t warps = 4, threads = 32;
  if (const std::int64_t at_once = traits_of(cost.unpacked_as).at_once; at_once > 0) {
    const std::int64_t working = (columns + threads * at_once - 1) / (threads * at_once);
    cost.begun = static_cast<double>(std::min(working, warps)) / warps;
  }
  return cost;
}

double state_bytes(const Architecture& of) {
  constexpr double single = 4, half = 2;
  const Mamba& mamba = of.mamba;
  const double layer =
      single * mamba.inner() * mamba.state + half * mamba.mixed() * std::max(mamba.window - 1, 0);
  return mamba.layers * layer + half * 2.0 * of.layers * of.hidden * of.cross;
}

double kv_bytes_per_token(const Architecture& of, std::int64_t positions, int step) {
  constexpr double bytes = 2;
  const double kept = std::min(1.0, static_cast<double>(of.sliding.window + step) /
                                        static_cast<double>(std::max<std::int64_t>(positions, 1)));
  const double sliding = static_cast<double>(of.sliding.layers) / of.attention_layers();
  const double layers = (of.attention_layers() - of.extras.sharing) * (1 - sliding * (1 - kept));
  return bytes * 2.0 * layers * of.kv_heads * of.head_dim;
}

double kv_bytes_per_token(const Architecture& of, const Architecture* draft, std::int64_t positions,
                          int step) {
  return kv_bytes_per_token(of, positions, step) +
         (draft != nullptr ? kv_bytes_per_token(*draft, positions, step) : 0);
}

double block_bytes(const Architecture& of, WeightFormat format) {
  constexpr double bits = 8;
  if (keeps_others(of, format))
    return block_bytes(of, WeightFormat::fp16) -
           of.layers * (expert_bytes(of, WeightFormat::fp16) - expert_bytes(of, format));
  const RowWidths rows = weights_by_row(of);
  const auto bytes = [&](std::int64_t weights, std::int64_t columns) {
    return static_cast<double>(weights) * bits_of(format, false, columns) / bits;
  };
  return bytes(rows.hidden, of.hidden) + bytes(rows.queries, std::int64_t{of.heads} * of.head_dim) +
         bytes(rows.ffn, of.ffn);
}

double expert_bytes(const Architecture& of, WeightFormat format) {
  constexpr double bits = 8;
  const double one =
      static_cast<double>(of.hidden) * of.ffn *
      ((of.gated ? 2 : 1) * bits_of(format, false, of.hidden) + bits_of(format, false, of.ffn)) / bits;
  return of.experts.count * one;
}

double weight_bytes(const Architecture& of, WeightFormat format) {
  constexpr double bits = 8, half = 2;  // bits per byte; bytes per fp16 number
  const auto others = static_cast<double>(parameters(of) - block_weights(of) -
                                          (of.tied ? 1 : 2) * head_weights(of) - embedding_weights(of));
  const double head = static_cast<double>(head_weights(of)) * bits_of(format, true, of.hidden) / bits;
  const double own = static_cast<double>(embedding_weights(of)) * bits_of(format, true, of.hidden) / bits;
  return block_bytes(of, format) + head * (of.tied ? 1 : 2) + own + half * others;
}

}  // namespace jostle::llm
