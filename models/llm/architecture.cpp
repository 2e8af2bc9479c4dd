#include "models/llm/architecture.hpp"

#include <algorithm>
#include <array>

#include "models/dnn/model_names.hpp"
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

// Pixtral's tower: patches of 14, of which 2 x 2 are merged; the counts are for 448 x 448.
constexpr VisionTower pixtral(int decoder) {
  constexpr std::int64_t own = 1024;
  return {.layers = 24,
          .hidden = own,
          .heads = 16,
          .ffn = 4096,
          .gated = true,
          .patches = 1024,
          .tokens = 256,
          .merger = 4 * own * own + own * decoder + std::int64_t{decoder} * decoder};
}
using enum QueryNorm;
constexpr std::array<Architecture, 36> table{{
#include "models/llm/architectures.inc"
}};
static_assert(std::ranges::is_sorted(table, {}, &Architecture::name));

std::int64_t product(std::int64_t a, std::int64_t b) {
  return a * b;
}

std::int64_t attention_weights(const Architecture& of) {
  const std::int64_t queries = product(of.heads, of.head_dim), keys = product(of.kv_heads, of.head_dim);
  return of.hidden * (2 * queries + 2 * keys);
}

std::int64_t expert_weights(const Architecture& of, int ffn) {
  return (of.gated ? 3 : 2) * product(of.hidden, ffn);
}

// Weights of the feed-forward of a block: `experts` of its experts, the router, and the part that every token
// passes through.
std::int64_t feed_forward_weights(const Architecture& of, std::int64_t experts) {
  const std::int64_t one = expert_weights(of, of.ffn);
  if (of.experts.count == 0) return one;
  const std::int64_t gate = of.experts.shared_ffn > 0 && of.experts.shared_gate ? of.hidden : 0;
  return experts * one + product(of.hidden, of.experts.count) + expert_weights(of, of.experts.shared_ffn) +
         gate;
}

std::int64_t mamba_weights(const Architecture& of) {
  return product(of.hidden, of.mamba.inner() + of.mamba.mixed() + of.mamba.heads + of.mamba.inner());
}

// Weights of the linear layers that only some models have.
std::int64_t other_weights(const Architecture& of) {
  const Extras& extras = of.extras;
  const std::int64_t block = (of.cross > 0 ? 2 * product(of.hidden, of.heads * of.head_dim) : 0) +
                             2 * product(of.hidden, extras.low_rank) + 3 * product(of.hidden, extras.width);
  return of.layers * block + of.mamba.layers * mamba_weights(of) +
         2 * (extras.streams - 1) * product(of.hidden, of.hidden);
}

// A folded name without the words at its end that say how the weights were trained, such as -Instruct-2507.
std::string without_training(std::string_view name) {
  constexpr std::array<std::string_view, 6> words{"instruct", "it", "chat", "hf", "base", "bf16"};
  for (std::size_t end = name.find_last_of("-_"); end < name.size(); end = name.find_last_of("-_")) {
    const std::string last = dnn::folded(name.substr(end));
    const bool date = last.size() == 4 && last.find_first_not_of("0123456789") == std::string::npos;
    if (!date && std::ranges::find(words, last) == words.end()) break;
    name = name.substr(0, end);
  }
  return dnn::folded(name);
}

}  // namespace

std::span<const Architecture> architectures() {
  return table;
}

const Architecture* find_architecture(std::string_view name) {
  const auto found = std::ranges::lower_bound(table, name, {}, &Architecture::name);
  return found != table.end() && found->name == name ? &*found : nullptr;
}

std::string catalogue_name(std::string_view name) {
  if (const dnn::Model* const network = dnn::find_model(name)) return std::string(network->name);
  const std::string asked = without_training(name);
  for (const Architecture& of : table) {
    const std::string_view source = of.source.substr(0, of.source.find(','));
    for (const std::string_view known : {of.name, source, source.substr(source.find('/') + 1)})
      if (asked == dnn::folded(known) || asked == without_training(known)) return std::string(of.name);
  }
  return std::string(name);
}

std::int64_t block_weights(const Architecture& of) {
  return of.attention_layers() * attention_weights(of) +
         of.layers * feed_forward_weights(of, of.experts.count) + other_weights(of);
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

std::int64_t embedding_weights(const Architecture& of) {
  return product(of.extras.words, of.layers * of.extras.width);
}

std::int64_t parameters(const Architecture& of) {
  const std::int64_t queries = product(of.heads, of.head_dim), keys = product(of.kv_heads, of.head_dim);
  const std::int64_t bias = of.qkv_bias ? queries + 2 * keys : 0;
  const std::int64_t query_norm = of.query_norm == each_head   ? 2 * of.head_dim
                                  : of.query_norm == all_heads ? queries + keys
                                                               : 0;
  const std::int64_t norms = product(of.norms, of.hidden) + query_norm;
  const std::int64_t scan = of.mamba.mixed() * (of.mamba.window + 1) + 3 * of.mamba.heads + of.mamba.inner();
  const std::int64_t more =
      of.mamba.layers > 0 ? of.mamba.layers * scan + product(of.attending, of.hidden) : 0;
  return block_weights(of) + of.layers * (bias + norms) + of.hidden + (of.tied ? 1 : 2) * head_weights(of) +
         more + embedding_weights(of) + vision_parameters(of);
}

std::int64_t active_parameters(const Architecture& of) {
  const std::int64_t idle = of.experts.count - of.experts.per_token;
  return parameters(of) - of.layers * idle * expert_weights(of, of.ffn);
}

double experts_read(const Experts& of, double tokens) {
  // Share of the experts that one token does not use.
  const double missed = 1 - static_cast<double>(of.per_token) / of.count;
  return of.count * (1 - sim::exp(tokens * sim::log(missed)));
}

RowWidths weights_by_row(const Architecture& of) {
  const std::int64_t queries = product(of.heads, of.head_dim);
  const std::int64_t experts = std::max(of.experts.count, 1);
  RowWidths rows{.queries = of.attention_layers() * product(of.hidden, queries),
                 .ffn = of.layers * experts * product(of.hidden, of.ffn)};
  rows.hidden = block_weights(of) - rows.queries - rows.ffn;
  return rows;
}

}  // namespace jostle::llm
