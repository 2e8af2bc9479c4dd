#include "calibration/readers/language_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "input/cursor.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"

namespace jostle::calibration {
namespace {

using input::Boolean;
using input::Cursor;
using input::Integer;
using input::Kind;
using llm::Architecture;
using llm::Experts;
using enum llm::QueryNorm;

// Limits beyond any model, and small enough that no product of them overflows.
constexpr int most_layers = 1024, most_heads = 1024, most_experts = 1024, most_head_dim = 4096;
constexpr int most_hidden = 1 << 17, most_ffn = 1 << 18, most_words = 1 << 22;

// The properties of a model type that its files do not contain, and the defaults of keys that they may omit,
// from its configuration class in transformers. Zero: the file must contain the key.
struct ModelType {
  std::string_view name;
  Architecture usual = {};
  std::string_view count_key = {}, ffn_key = {};  // keys of the experts; empty: it has none
};
// A gemma3 with vision keeps these in its text_config.
constexpr Architecture gemma3_text{.heads = 8,
                                   .kv_heads = 4,
                                   .head_dim = 256,
                                   .vocabulary = 262208,
                                   .tied = true,
                                   .query_norm = each_head,
                                   .norms = 4};
constexpr std::array model_types{
    ModelType{"gemma", {.head_dim = 256, .tied = true}},
    ModelType{"gemma2", {.head_dim = 256, .tied = true, .norms = 4}},
    ModelType{"gemma3", gemma3_text},
    ModelType{"gemma3_text", gemma3_text},
    ModelType{"llama"},
    ModelType{"mistral"},
    ModelType{"mixtral", {.experts = {.per_token = 2}}, "num_local_experts", "intermediate_size"},
    ModelType{"olmoe",
              {.query_norm = all_heads, .experts = {.count = 64, .per_token = 8}},
              "num_experts",
              "intermediate_size"},
    ModelType{"phi3"},
    ModelType{"qwen2", {.qkv_bias = true}},
    ModelType{"qwen2_moe",
              {.qkv_bias = true, .experts = {.count = 60, .per_token = 4}},
              "num_experts",
              "moe_intermediate_size"},
    ModelType{"qwen3", {.head_dim = 128, .query_norm = each_head}},
    ModelType{"qwen3_moe",
              {.query_norm = each_head, .experts = {.count = 128, .per_token = 8}},
              "num_experts",
              "moe_intermediate_size"},
    ModelType{"smollm3", {.tied = true}},
};
static_assert(std::ranges::is_sorted(model_types, {}, &ModelType::name));

class ShapeReader {
 public:
  ShapeReader(const Cursor& at, const ModelType& type) : at_(at), type_(type), of_(type.usual) {}

  std::optional<Architecture> read() {
    of_.layers = required("num_hidden_layers", most_layers, 0);
    of_.hidden = required("hidden_size", most_hidden, 0);
    of_.heads = required("num_attention_heads", most_heads, of_.heads);
    of_.kv_heads = optional("num_key_value_heads", most_heads, of_.kv_heads > 0 ? of_.kv_heads : of_.heads);
    of_.vocabulary = required("vocab_size", most_words, of_.vocabulary);
    of_.ffn = required(type_.ffn_key.empty() ? "intermediate_size" : type_.ffn_key, most_ffn, 0);
    if (!good_) return std::nullopt;
    read_head();
    flag("tie_word_embeddings", of_.tied);
    if (type_.name != "qwen2" && type_.name != "qwen2_moe") flag("attention_bias", of_.qkv_bias);
    if (!type_.count_key.empty()) read_experts();
    refuse_others();
    return good_ ? std::optional(of_) : std::nullopt;
  }

 private:
  // The value under a key; absent if the key is missing or null.
  [[nodiscard]] std::optional<Cursor> find(std::string_view key) const {
    const std::string name(key);
    const input::Node child = at_.value().find(name);
    if (!child || child->kind == Kind::nothing || (child->kind == Kind::scalar && child->text == "null"))
      return std::nullopt;
    return at_.descend(name);
  }
  int optional(std::string_view key, int most, int usual, int least = 1) {
    const auto found = find(key);
    if (!found) return usual;
    const auto value = Integer{least, most}(*found);
    good_ = good_ && value;
    return static_cast<int>(value.value_or(1));
  }
  int required(std::string_view key, int most, int usual) {
    if (usual == 0 && !find(key)) {
      problem(key, fmt::format("missing; a {} needs it", type_.name));
      return 1;
    }
    return optional(key, most, usual);
  }
  void flag(std::string_view key, bool& target) {
    const auto found = find(key);
    if (!found) return;
    const auto value = Boolean{}(*found);
    good_ = good_ && value;
    target = value.value_or(target);
  }
  void problem(std::string_view key, std::string message, std::string hint = {}) {
    good_ = false;
    const std::string path = at_.path().empty() ? std::string(key) : fmt::format("{}.{}", at_.path(), key);
    const auto found = find(key);
    at_.problems().add(found ? found->location() : at_.location(), path, std::move(message), std::move(hint));
  }

  void read_head() {
    if (of_.heads % of_.kv_heads != 0)
      problem("num_key_value_heads",
              fmt::format("{} heads of queries do not share {} of keys", of_.heads, of_.kv_heads));
    of_.head_dim =
        optional("head_dim", most_head_dim, of_.head_dim > 0 ? of_.head_dim : of_.hidden / of_.heads);
    if (of_.head_dim < 1) problem("hidden_size", fmt::format("is less than {} heads need", of_.heads));
  }

  void read_experts() {
    Experts& experts = of_.experts;
    experts.count = required(type_.count_key, most_experts, experts.count);
    experts.per_token = optional("num_experts_per_tok", most_experts, experts.per_token);
    experts.shared_ffn = optional("shared_expert_intermediate_size", most_ffn, 0, 0);
    if (good_ && experts.per_token > experts.count)
      problem("num_experts_per_tok", fmt::format("more than the {} experts there are", experts.count));
    if (const int step = optional("decoder_sparse_step", most_layers, 1); step != 1)
      problem("decoder_sparse_step", "blocks with and without experts are not modelled together", "1");
    if (const auto plain = find("mlp_only_layers");
        plain && !(plain->is(Kind::sequence) && plain->value().children.empty()))
      problem("mlp_only_layers", "blocks with and without experts are not modelled together", "[]");
  }

  // Refuses keys that would change the shapes and are not modelled.
  void refuse_others() {
    bool bias = false;
    flag("mlp_bias", bias);
    if (bias) problem("mlp_bias", "a bias of the feed-forward is not modelled");
  }

  const Cursor& at_;
  const ModelType& type_;
  Architecture of_;
  bool good_ = true;
};

}  // namespace

std::vector<std::string> config_types() {
  std::vector<std::string> names;
  for (const ModelType& type : model_types) names.emplace_back(type.name);
  return names;
}

std::optional<Architecture> parse_config(const std::string& text, const std::string& origin,
                                         input::Problems& problems) {
  const input::Node root = input::parse_yaml(text, origin, problems);  // JSON is a subset of YAML
  if (!root) return std::nullopt;
  Cursor at(root, "", problems);
  if (!at.is(Kind::mapping)) {
    at.expected("a config.json of Hugging Face: a mapping with model_type");
    return std::nullopt;
  }
  const input::Node name = root->find("model_type");
  if (!name) {
    problems.add(at.location(), "model_type", "missing", "as in a config.json of Hugging Face");
    return std::nullopt;
  }
  const auto index = input::choose(at.descend("model_type"), "model_type", config_types());
  if (!index) return std::nullopt;
  // In a model with vision, the decoder has a mapping of its own.
  if (const input::Node inner = root->find("text_config"); inner && inner->kind != Kind::nothing) {
    at = at.descend("text_config");
    if (!at.is(Kind::mapping)) {
      at.expected("a mapping: the shapes of the decoder");
      return std::nullopt;
    }
  }
  return ShapeReader(at, model_types[*index]).read();
}

}  // namespace jostle::calibration
