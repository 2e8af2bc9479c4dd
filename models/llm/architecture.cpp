#include "models/llm/architecture.hpp"

#include <algorithm>
#include <array>

#include "sim/math.hpp"

namespace jostle::llm {
namespace {

// SigLIP so400m at 384 x 384 with patches of 14; 3 x 3 neighbours become one position (SmolVLM's shuffle).
constexpr VisionTower siglip{.layers = 27,
                             .hidden = 1152,
                             .heads = 16,
                             .ffn = 4304,
                             .patches = 729,
                             .tokens = 81,
                             .merger = 9 * 1152 * 2048};
// The tower has patches of 14, of which 2 x 2 are merged; the counts are for 448 x 448.
constexpr VisionTower qwen25_vision{.layers = 32,
                                    .hidden = 1280,
                                    .heads = 16,
                                    .ffn = 3420,
                                    .gated = true,
                                    .patches = 1024,
                                    .tokens = 256,
                                    .merger = 5120 * (5120 + 2048)};
// The tower has patches of 16, of which 2 x 2 are merged, after the last layer and after three others, to a
// decoder of this width; the counts are for 512 x 512.
constexpr VisionTower qwen3_vision(int layers, int hidden, int ffn, int decoder) {
  const std::int64_t merged = 4 * std::int64_t{hidden};
  return {.layers = layers,
          .hidden = hidden,
          .heads = 16,
          .ffn = ffn,
          .patches = 1024,
          .tokens = 256,
          .merger = 4 * merged * (merged + decoder)};
}
constexpr VisionTower small_qwen3_vision = qwen3_vision(24, 1024, 4096, 2048);
constexpr VisionTower qwen3_vision_4b = qwen3_vision(24, 1024, 4096, 2560);
constexpr VisionTower qwen3_vision_8b = qwen3_vision(27, 1152, 4304, 4096);
// SigLIP at 896 x 896; 4 x 4 neighbours are averaged.
constexpr VisionTower gemma3_vision{.layers = 27,
                                    .hidden = 1152,
                                    .heads = 16,
                                    .ffn = 4304,
                                    .patches = 4096,
                                    .tokens = 256,
                                    .merger = 1152 * 2560};

using enum QueryNorm;
// The fields are name, layers, hidden, heads, kv_heads, head_dim, ffn, vocabulary, tied, qkv_bias,
// query_norm, norms, vision, source, experts.
constexpr std::array<Architecture, 30> table{{
    {"cosmos_reason2_2b", 28, 2048, 16, 8, 128, 6144, 151936, true, false, each_head, 2, small_qwen3_vision,
     "nvidia/Cosmos-Reason2-2B, on Qwen/Qwen3-VL-2B-Instruct"},
    {"gemma2_2b", 26, 2304, 8, 4, 256, 9216, 256000, true, false, none, 4, {}, "google/gemma-2-2b"},
    {"gemma3_1b", 26, 1152, 4, 1, 256, 6912, 262144, true, false, each_head, 4, {}, "google/gemma-3-1b-it"},
    {"gemma3_4b", 34, 2560, 8, 4, 256, 10240, 262208, true, false, each_head, 4, gemma3_vision,
     "google/gemma-3-4b-it"},
    {"llama3.1_8b",
     32,
     4096,
     32,
     8,
     128,
     14336,
     128256,
     false,
     false,
     none,
     2,
     {},
     "meta-llama/Llama-3.1-8B-Instruct"},
    {"llama3.2_1b",
     16,
     2048,
     32,
     8,
     64,
     8192,
     128256,
     true,
     false,
     none,
     2,
     {},
     "meta-llama/Llama-3.2-1B-Instruct"},
    {"llama3.2_3b",
     28,
     3072,
     24,
     8,
     128,
     8192,
     128256,
     true,
     false,
     none,
     2,
     {},
     "meta-llama/Llama-3.2-3B-Instruct"},
    {"mixtral_8x7b",
     32,
     4096,
     32,
     8,
     128,
     14336,
     32000,
     false,
     false,
     none,
     2,
     {},
     "mistralai/Mixtral-8x7B-v0.1",
     {8, 2}},
    {"olmoe_1b_7b",
     16,
     2048,
     16,
     16,
     128,
     1024,
     50304,
     false,
     false,
     all_heads,
     2,
     {},
     "allenai/OLMoE-1B-7B-0924",
     {64, 8}},
    {"phi3.5_mini",
     32,
     3072,
     32,
     32,
     96,
     8192,
     32064,
     false,
     false,
     none,
     2,
     {},
     "microsoft/Phi-3.5-mini-instruct"},
    {"qwen1.5_moe_a2.7b",
     24,
     2048,
     16,
     16,
     128,
     1408,
     151936,
     false,
     true,
     none,
     2,
     {},
     "Qwen/Qwen1.5-MoE-A2.7B",
     {60, 4, 5632}},
    {"qwen2.5_0.5b", 24, 896, 14, 2, 64, 4864, 151936, true, true, none, 2, {}, "Qwen/Qwen2.5-0.5B-Instruct"},
    {"qwen2.5_1.5b",
     28,
     1536,
     12,
     2,
     128,
     8960,
     151936,
     true,
     true,
     none,
     2,
     {},
     "Qwen/Qwen2.5-1.5B-Instruct"},
    {"qwen2.5_3b", 36, 2048, 16, 2, 128, 11008, 151936, true, true, none, 2, {}, "Qwen/Qwen2.5-3B-Instruct"},
    {"qwen2.5_7b", 28, 3584, 28, 4, 128, 18944, 152064, false, true, none, 2, {}, "Qwen/Qwen2.5-7B-Instruct"},
    {"qwen2.5_vl_3b", 36, 2048, 16, 2, 128, 11008, 151936, true, true, none, 2, qwen25_vision,
     "Qwen/Qwen2.5-VL-3B-Instruct"},
    {"qwen3_0.6b", 28, 1024, 16, 8, 128, 3072, 151936, true, false, each_head, 2, {}, "Qwen/Qwen3-0.6B"},
    {"qwen3_1.7b", 28, 2048, 16, 8, 128, 6144, 151936, true, false, each_head, 2, {}, "Qwen/Qwen3-1.7B"},
    {"qwen3_30b_a3b",
     48,
     2048,
     32,
     4,
     128,
     768,
     151936,
     false,
     false,
     each_head,
     2,
     {},
     "Qwen/Qwen3-30B-A3B",
     {128, 8}},
    {"qwen3_4b", 36, 2560, 32, 8, 128, 9728, 151936, true, false, each_head, 2, {}, "Qwen/Qwen3-4B"},
    {"qwen3_8b", 36, 4096, 32, 8, 128, 12288, 151936, false, false, each_head, 2, {}, "Qwen/Qwen3-8B"},
    {"qwen3_vl_2b", 28, 2048, 16, 8, 128, 6144, 151936, true, false, each_head, 2, small_qwen3_vision,
     "Qwen/Qwen3-VL-2B-Instruct"},
    {"qwen3_vl_4b", 36, 2560, 32, 8, 128, 9728, 151936, true, false, each_head, 2, qwen3_vision_4b,
     "Qwen/Qwen3-VL-4B-Instruct"},
    {"qwen3_vl_8b", 36, 4096, 32, 8, 128, 12288, 151936, false, false, each_head, 2, qwen3_vision_8b,
     "Qwen/Qwen3-VL-8B-Instruct"},
    {"smollm2_1.7b",
     24,
     2048,
     32,
     32,
     64,
     8192,
     49152,
     true,
     false,
     none,
     2,
     {},
     "HuggingFaceTB/SmolLM2-1.7B"},
    {"smollm2_135m", 30, 576, 9, 3, 64, 1536, 49152, true, false, none, 2, {}, "HuggingFaceTB/SmolLM2-135M"},
    {"smollm2_360m", 32, 960, 15, 5, 64, 2560, 49152, true, false, none, 2, {}, "HuggingFaceTB/SmolLM2-360M"},
    {"smolvlm", 24, 2048, 32, 32, 64, 8192, 49155, false, false, none, 2, siglip,
     "HuggingFaceTB/SmolVLM-Instruct"},
    {"smolvlm2_2.2b", 24, 2048, 32, 32, 64, 8192, 49280, false, false, none, 2, siglip,
     "HuggingFaceTB/SmolVLM2-2.2B-Instruct"},
    {"tinyllama_1.1b",
     22,
     2048,
     32,
     4,
     64,
     5632,
     32000,
     false,
     false,
     none,
     2,
     {},
     "TinyLlama/TinyLlama-1.1B-Chat-v1.0"},
}};
static_assert(std::ranges::is_sorted(table, {}, &Architecture::name));

std::int64_t product(std::int64_t a, std::int64_t b) {
  return a * b;
}

std::int64_t attention_weights(const Architecture& of) {
  const std::int64_t queries = product(of.heads, of.head_dim), keys = product(of.kv_heads, of.head_dim);
  return of.hidden * (2 * queries + 2 * keys);
}

// Weights of the feed-forward of a block: `experts` of its experts, the router, and the part that every token
// passes through.
std::int64_t feed_forward_weights(const Architecture& of, std::int64_t experts) {
  const std::int64_t one = 3 * product(of.hidden, of.ffn);
  if (of.experts.count == 0) return one;
  const std::int64_t gate = of.experts.shared_ffn > 0 ? of.hidden : 0;
  return experts * one + product(of.hidden, of.experts.count) +
         3 * product(of.hidden, of.experts.shared_ffn) + gate;
}

}  // namespace

std::span<const Architecture> architectures() {
  return table;
}

const Architecture* find_architecture(std::string_view name) {
  const auto found = std::ranges::lower_bound(table, name, {}, &Architecture::name);
  return found != table.end() && found->name == name ? &*found : nullptr;
}

std::int64_t block_weights(const Architecture& of) {
  return of.layers * (attention_weights(of) + feed_forward_weights(of, of.experts.count));
}

std::int64_t head_weights(const Architecture& of) {
  return product(of.vocabulary, of.hidden);
}

std::int64_t vision_parameters(const Architecture& of) {
  const VisionTower& tower = of.vision;
  const std::int64_t hidden = tower.hidden;
  const std::int64_t linear = 4 * hidden * hidden + (tower.gated ? 3 : 2) * hidden * tower.ffn;
  return tower.layers * linear + tower.merger;
}

std::int64_t parameters(const Architecture& of) {
  const std::int64_t queries = product(of.heads, of.head_dim), keys = product(of.kv_heads, of.head_dim);
  const std::int64_t bias = of.qkv_bias ? queries + 2 * keys : 0;
  const std::int64_t query_norm = of.query_norm == each_head   ? 2 * of.head_dim
                                  : of.query_norm == all_heads ? queries + keys
                                                               : 0;
  const std::int64_t norms = product(of.norms, of.hidden) + query_norm;
  return block_weights(of) + of.layers * (bias + norms) + of.hidden + (of.tied ? 1 : 2) * head_weights(of) +
         vision_parameters(of);
}

std::int64_t active_parameters(const Architecture& of) {
  const std::int64_t idle = of.experts.count - of.experts.per_token;
  return parameters(of) - of.layers * idle * 3 * product(of.hidden, of.ffn);
}

double experts_read(const Experts& of, double tokens) {
  // Share of the experts that one token does not use.
  const double missed = 1 - static_cast<double>(of.per_token) / of.count;
  return of.count * (1 - sim::exp(tokens * sim::log(missed)));
}

RowWidths weights_by_row(const Architecture& of) {
  const std::int64_t queries = product(of.heads, of.head_dim);
  const std::int64_t experts = std::max(of.experts.count, 1);
  RowWidths rows{.queries = of.layers * product(of.hidden, queries),
                 .ffn = of.layers * experts * product(of.hidden, of.ffn)};
  rows.hidden = block_weights(of) - rows.queries - rows.ffn;
  return rows;
}

}  // namespace jostle::llm
