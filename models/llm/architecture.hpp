// Language models that jostle knows by name: the shapes of their decoders, and their numbers of weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

// Positions of the decoders of Whisper.
inline constexpr int whisper_positions = 448;
// The encoder of Whisper: 30 s of sound become 1500 positions, which a decoder of so many blocks attends to.
// `merger` counts two convolutions, the positions of both, and the decoder's keys and values.
[[nodiscard]] constexpr VisionTower whisper(int layers, int hidden, int heads, int bands, int blocks) {
  const std::int64_t own = hidden;
  return {.layers = layers,
          .hidden = hidden,
          .heads = heads,
          .ffn = 4 * hidden,
          .patches = 1500,
          .merger = 3 * own * (bands + own) + (1500 + whisper_positions) * own + 2 * blocks * own * own};
}

// A feed-forward of many experts, of which a router chooses some for each token (Shazeer et al., 2017).
struct Experts {
  int count = 0;            // 0: one feed-forward for all tokens
  int per_token = 0;        // number of experts that a token passes through
  int shared_ffn = 0;       // width of one more that every token passes through; 0: none
  bool shared_gate = true;  // the shared one has a gate
};

// Layers of Mamba-2 (Dao and Gu, 2024), divided among the blocks: for each sequence a state of `head_dim` x
// `state` numbers of a head in fp32 instead of keys and values, behind a convolution of `window` positions.
struct Mamba {
  int layers = 0, heads = 0, head_dim = 0, groups = 0, state = 0, window = 0;
  [[nodiscard]] constexpr int inner() const { return heads * head_dim; }
  [[nodiscard]] constexpr int mixed() const {
    return inner() + 2 * groups * state;
  }  // channels of the convolution
};

// Parts of a block of Gemma 3n: an embedding of its own for each token, of this width and from a table of so
// many words; a product of low rank beside attention; `streams` copies of a position, of which each block
// reads all; and blocks, the last ones, that share the keys and values of others.
struct Extras {
  int width = 0, words = 0, low_rank = 0, streams = 1, sharing = 0;
};

// Layers with attention that see so many positions alone, the last ones, and keep no more: some of all, or
// all of them (Beltagy et al., 2020).
struct Sliding {
  int window = 0, layers = 0;
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
  bool gated = true;  // the feed-forward has a gate beside its first linear layer
  int attending = 0;  // number of blocks with attention; 0: all
  int cross = 0;      // positions of the tower's result that every block attends to besides
  Mamba mamba = {};
  Extras extras = {};
  Sliding sliding = {};
  std::string_view stored = {};  // the format in which a file says that the weights are; empty: none
  [[nodiscard]] constexpr int attention_layers() const { return attending > 0 ? attending : layers; }
};

[[nodiscard]] std::span<const Architecture> architectures();  // sorted by name
[[nodiscard]] const Architecture* find_architecture(std::string_view name);
// The name in its table of a network or language model that goes by others: "qwen3_8b" of "Qwen/Qwen3-8B" and
// of Ollama's "qwen3:8b"; other names unchanged.
[[nodiscard]] std::string catalogue_name(std::string_view name);

// Number of parameters as published, the vision tower included, which has the keys and values of its result.
[[nodiscard]] std::int64_t parameters(const Architecture& of);
[[nodiscard]] std::int64_t vision_parameters(const Architecture& of);
// Number of weights of the tables of embeddings that blocks have of their own.
[[nodiscard]] std::int64_t embedding_weights(const Architecture& of);
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
