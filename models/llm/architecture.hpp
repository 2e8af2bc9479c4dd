// Language models that jostle knows by name: the shapes of their decoders, and their numbers of weights.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace jostle::llm {

// A tower that turns an image into positions of the prompt. Zero layers: the model reads text only.
struct VisionTower {
  int layers = 0, hidden = 0, heads = 0, ffn = 0;
  bool gated = false;       // its feed-forward has a gate beside the first linear layer
  int patches = 0;          // patches of an image: positions inside the tower
  int tokens = 0;           // positions of the prompt that an image becomes
  std::int64_t merger = 0;  // weights of the linear layers from its last positions to the decoder's
};

// A feed-forward of many experts, of which a router chooses some for each token (Shazeer et al., 2017).
struct Experts {
  int count = 0;       // 0: one feed-forward for all tokens
  int per_token = 0;   // number of experts that a token passes through
  int shared_ffn = 0;  // width of one more, behind a gate, that every token passes through; 0: none
};

// The channels over which queries and keys are normalised.
enum class QueryNorm : std::uint8_t { none, each_head, all_heads };

// A decoder of transformer blocks (Vaswani et al., 2017) with grouped queries (Ainslie et al., 2023) and a
// gated feed-forward (Shazeer, 2020). Fields as in config.json of Hugging Face: num_hidden_layers,
// hidden_size, num_attention_heads, num_key_value_heads, head_dim, intermediate_size (of an expert, where
// there are some), vocab_size, tie_word_embeddings.
struct Architecture {
  std::string_view name = {};  // empty: read from a file
  int layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocabulary = 0;
  bool tied = false;      // the last linear layer is the table of embeddings
  bool qkv_bias = false;  // queries, keys and values have biases
  QueryNorm query_norm = QueryNorm::none;
  int norms = 2;  // number of norms per block
  VisionTower vision = {};
  std::string_view source = {};
  Experts experts = {};
};

[[nodiscard]] std::span<const Architecture> architectures();  // sorted by name
[[nodiscard]] const Architecture* find_architecture(std::string_view name);

// Number of parameters as published, the vision tower included.
[[nodiscard]] std::int64_t parameters(const Architecture& of);
[[nodiscard]] std::int64_t vision_parameters(const Architecture& of);
// Number of parameters that a token uses: of the experts, only those chosen for it.
[[nodiscard]] std::int64_t active_parameters(const Architecture& of);
// Expected number of experts of a block that a step of `tokens` tokens reads, if all choices are equally
// likely: count (1 - (1 - per_token / count)^tokens).
[[nodiscard]] double experts_read(const Experts& of, double tokens);
// Number of weights of the last linear layer, which gives a score to each token of the vocabulary; and of the
// blocks' linear layers, all experts included.
[[nodiscard]] std::int64_t head_weights(const Architecture& of);
[[nodiscard]] std::int64_t block_weights(const Architecture& of);
// Number of the blocks' weights in rows of this width: the inputs of queries, keys, values, gate and up; of
// the last layer of attention; of the feed-forward's last. Parts of experts other than those are counted as
// the first.
struct RowWidths {
  std::int64_t hidden = 0, queries = 0, ffn = 0;
};
[[nodiscard]] RowWidths weights_by_row(const Architecture& of);

}  // namespace jostle::llm
