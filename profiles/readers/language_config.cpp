#include "profiles/readers/language_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "input/cursor.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::profiles {
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
constexpr int most_side = 8192, most_patches = 1 << 15, most_merged = 16;

// The link between a tower and its decoder: how many patches become a position of the prompt, and through
// which linear layers.
enum class Projector : std::uint8_t {
  none,        // the model reads text
  one_layer,   // PaliGemma: a linear layer for each patch
  two_layers,  // LLaVA: two
  pooled,      // Gemma 3: the mean of neighbours, as many as leave mm_tokens_per_image, then a linear layer
  shuffled,  // Idefics3, SmolVLM: neighbours become channels (scale_factor in each direction), a linear layer
  merged,    // Qwen: the same (spatial_merge_size), then two layers; Qwen3 VL also after some layers within
  joined     // Pixtral: the same in one layer of the tower's width, then two
};

// The properties of a model type that its files do not contain, and the defaults of keys that they may omit,
// from its configuration class in transformers. Zero: the file must contain the key. `usual.sliding.layers`:
// a layer in so many attends to all positions, 0: none does, where the file has a sliding_window.
struct ModelType {
  std::string_view name;
  Architecture usual = {};
  std::string_view count_key = {}, ffn_key = {};  // keys of the experts; empty: it has none
  Projector projector = Projector::none;
  bool has_decoders = false;  // its text_config has a model_type of its own
};
// A gemma3 with vision keeps these in its text_config.
constexpr Architecture gemma3_text{.heads = 8,
                                   .kv_heads = 4,
                                   .head_dim = 256,
                                   .vocabulary = 262208,
                                   .tied = true,
                                   .query_norm = each_head,
                                   .norms = 4,
                                   .sliding = {4096, 6}};
constexpr Architecture gemma3n_text{.tied = true,
                                    .query_norm = each_head,
                                    .norms = 4,
                                    .extras = {.words = 262144, .low_rank = 64, .streams = 4},
                                    .sliding = {512, 5}};
constexpr std::array model_types{
    ModelType{"gemma", {.head_dim = 256, .tied = true}},
    ModelType{"gemma2", {.head_dim = 256, .tied = true, .norms = 4, .sliding = {4096, 2}}},
    ModelType{"gemma3", gemma3_text, "", "", Projector::pooled},
    ModelType{"gemma3_text", gemma3_text},
    ModelType{"gemma3n", gemma3n_text},
    ModelType{"gemma3n_text", gemma3n_text},
    ModelType{"gpt_oss",
              {.head_dim = 64, .qkv_bias = true, .experts = {.per_token = 4}, .sliding = {128, 2}},
              "num_local_experts",
              "intermediate_size"},
    ModelType{"idefics3", {}, "", "", Projector::shuffled, true},
    ModelType{"llama"},
    ModelType{"llava", {}, "", "", Projector::two_layers, true},
    ModelType{"ministral3"},
    ModelType{"mistral"},
    ModelType{"mistral3", {}, "", "", Projector::joined, true},
    ModelType{"mixtral", {.experts = {.per_token = 2}}, "num_local_experts", "intermediate_size"},
    ModelType{"nemotron_h", {.gated = false}},
    ModelType{"olmoe",
              {.query_norm = all_heads, .experts = {.count = 64, .per_token = 8}},
              "num_experts",
              "intermediate_size"},
    ModelType{"paligemma", {}, "", "", Projector::one_layer, true},
    ModelType{"phi3"},
    ModelType{"qwen2", {.qkv_bias = true}},
    ModelType{"qwen2_5_vl", {.qkv_bias = true}, "", "", Projector::merged},
    ModelType{"qwen2_moe",
              {.qkv_bias = true, .experts = {.count = 60, .per_token = 4}},
              "num_experts",
              "moe_intermediate_size"},
    ModelType{"qwen2_vl", {.qkv_bias = true}, "", "", Projector::merged},
    ModelType{"qwen3", {.head_dim = 128, .query_norm = each_head}},
    ModelType{"qwen3_moe",
              {.query_norm = each_head, .experts = {.count = 128, .per_token = 8}},
              "num_experts",
              "moe_intermediate_size"},
    ModelType{"qwen3_vl", {.head_dim = 128, .query_norm = each_head}, "", "", Projector::merged},
    ModelType{"qwen3_vl_moe",
              {.head_dim = 128, .query_norm = each_head, .experts = {.count = 128, .per_token = 8}},
              "num_experts",
              "moe_intermediate_size",
              Projector::merged},
    ModelType{"smollm3", {.tied = true}},
    ModelType{"smolvlm", {}, "", "", Projector::shuffled, true},
    ModelType{"whisper", {.tied = true, .gated = false}},
};
static_assert(std::ranges::is_sorted(model_types, {}, &ModelType::name));

// Formats of weights by the words of a quantization_config (transformers, compressed-tensors, Model
// Optimizer).
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> stored_formats{
    {{"awq", "awq"},
     {"gptq", "gptq"},
     {"mxfp4", "mxfp4"},
     {"fp8", "fp8"},
     {"FP8", "fp8"},
     {"NVFP4", "nvfp4"},
     {"pack-quantized", "gptq"},
     {"int-quantized", "int8"},
     {"float-quantized", "fp8"},
     {"nvfp4-pack-quantized", "nvfp4"}}};

// The format that a file says, in the most special of the keys; empty: none that is known.
std::string_view stored_format(const input::Node& root) {
  const input::Node found = root->find("quantization_config");
  if (!found || found->kind != Kind::mapping) return {};
  for (const char* const key : {"quant_algo", "format", "quant_method"})
    for (const auto& [words, format] : stored_formats)
      if (const input::Node value = found->find(key); value && value->text == words) return format;
  return {};
}

// Reads a model_type; one that is not known names the networks that are built in under such a name.
std::optional<std::size_t> read_type(const Cursor& at) {
  const std::string* const text = at.scalar("the type of a model, as in a config.json of Hugging Face");
  if (text == nullptr) return std::nullopt;
  const auto type = std::ranges::find(model_types, std::string_view(*text), &ModelType::name);
  if (type != model_types.end()) return static_cast<std::size_t>(type - model_types.begin());
  constexpr std::size_t distinct = 4;  // letters of a name that is no other's too
  const std::string family = text->substr(0, text->find('_'));
  std::vector<std::string> built_in = dnn::model_names();
  std::erase_if(built_in, [&](const std::string& name) {
    return family.size() < distinct || name.find(family) == std::string::npos;
  });
  at.problem(
      fmt::format("jostle does not read models of type '{}' from a config.json", input::printable(*text)),
      built_in.empty() ? fmt::format("it reads {}", fmt::join(config_types(), ", "))
                       : fmt::format("built in: model: {}", fmt::join(built_in, ", ")));
  return std::nullopt;
}

// Reads the numbers of a mapping, and names the model type in problems.
class NumberReader {
 public:
  NumberReader(const Cursor& at, const ModelType& type) : at_(at), type_(type) {}

 protected:
  // The value under a key; absent if the key is missing or null.
  [[nodiscard]] std::optional<Cursor> find(std::string_view key) const {
    const std::string name(key);
    const input::Node child = at_.value().find(name);
    if (!child || child->kind == Kind::nothing || (child->kind == Kind::scalar && child->text == "null"))
      return std::nullopt;
    return at_.descend(name);
  }
  int optional(std::string_view key, int most, int usual, int least = 1) {
    auto found = find(key);
    if (!found) return usual;
    // Gemma 3n lists the width of each block; they are equal.
    if (const auto& list = found->value().children;
        found->is(Kind::sequence) && !list.empty() &&
        std::ranges::all_of(list, [&](const auto& one) { return one->text == list.front()->text; }))
      found = found->items("numbers", most_layers).front();
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

  const Cursor& at_;
  const ModelType& type_;
  bool good_ = true;
};

class ShapeReader : NumberReader {
 public:
  ShapeReader(const Cursor& at, const ModelType& type) : NumberReader(at, type), of_(type.usual) {}

  std::optional<Architecture> read() {
    of_.layers = required("num_hidden_layers", most_layers, 0);
    of_.hidden = required("hidden_size", most_hidden, 0);
    if (type_.name == "nemotron_h") read_pattern();
    if (of_.extras.streams > 1) read_extras();
    of_.heads = required("num_attention_heads", most_heads, of_.heads);
    of_.kv_heads = optional("num_key_value_heads", most_heads, of_.kv_heads > 0 ? of_.kv_heads : of_.heads);
    of_.vocabulary = required("vocab_size", most_words, of_.vocabulary);
    const std::string_view ffn = type_.ffn_key.empty() ? "intermediate_size" : type_.ffn_key;
    of_.ffn = required(of_.experts.count > 0 && !of_.gated ? "moe_intermediate_size" : ffn, most_ffn, 0);
    if (!good_) return std::nullopt;
    read_head();
    flag("tie_word_embeddings", of_.tied);
    if (type_.name != "qwen2" && type_.name != "qwen2_moe") flag("attention_bias", of_.qkv_bias);
    if (!type_.count_key.empty()) read_experts();
    read_window();
    refuse_others();
    return good_ ? std::optional(of_) : std::nullopt;
  }

 private:
  void read_head() {
    if (of_.heads % of_.kv_heads != 0)
      problem("num_key_value_heads",
              fmt::format("{} heads of queries do not share {} of keys", of_.heads, of_.kv_heads));
    of_.head_dim =
        optional("head_dim", most_head_dim, of_.head_dim > 0 ? of_.head_dim : of_.hidden / of_.heads);
    if (of_.head_dim < 1) problem("hidden_size", fmt::format("is less than {} heads need", of_.heads));
  }

  // A letter for each layer: M is one of Mamba-2, * attention, E experts, - a feed-forward.
  void read_pattern() {
    const auto at = find("hybrid_override_pattern");
    const std::string pattern = at && at->is(Kind::scalar) ? at->value().text : "";
    const auto count = [&](char letter) { return static_cast<int>(std::ranges::count(pattern, letter)); };
    const int experts = count('E'), plain = count('-');
    of_.attending = count('*');
    if (static_cast<int>(pattern.size()) != of_.layers || (experts > 0) == (plain > 0) ||
        of_.attending == 0 || experts + plain + of_.attending + count('M') != of_.layers ||
        of_.attending > experts + plain)
      return problem("hybrid_override_pattern",
                     "expected a letter for each layer: M and *, and either E or -");
    of_.layers = experts + plain;
    of_.mamba = {.layers = count('M'),
                 .heads = required("mamba_num_heads", most_heads, 0),
                 .head_dim = required("mamba_head_dim", most_head_dim, 0),
                 .groups = required("n_groups", most_heads, 0),
                 .state = required("ssm_state_size", most_head_dim, 0),
                 .window = optional("conv_kernel", most_merged, 4)};
    if (experts == 0) return;
    of_.experts = {.count = required("n_routed_experts", most_experts, 0),
                   .per_token = required("num_experts_per_tok", most_experts, 0),
                   .shared_ffn = optional("n_shared_experts", 1, 1, 0) *
                                 optional("moe_shared_expert_intermediate_size", most_ffn, 0, 0),
                   .shared_gate = false};
    if (good_ && of_.experts.per_token > of_.experts.count)
      problem("num_experts_per_tok", fmt::format("more than the {} experts there are", of_.experts.count));
  }

  // The layers are listed, or a pattern of them is; Qwen's files have a window that none uses.
  void read_window() {
    llm::Sliding& sliding = of_.sliding;
    const int period = optional("sliding_window_pattern", most_layers, sliding.layers, 0);
    bool used = !type_.name.starts_with("qwen");
    flag("use_sliding_window", used);
    sliding.window = optional("sliding_window", most_words, sliding.window, 0);
    sliding.layers = of_.layers - (period > 0 ? of_.layers / period : 0);
    if (const auto types = find("layer_types"); types && types->is(Kind::sequence))
      sliding.layers = static_cast<int>(std::ranges::count_if(
          types->value().children, [](const auto& one) { return one->text == "sliding_attention"; }));
    if (!used || sliding.window == 0 || sliding.layers == 0) sliding = {};
    sliding.layers = std::min(sliding.layers, of_.attention_layers());
  }

  void read_extras() {
    of_.extras = {.width = required("hidden_size_per_layer_input", most_hidden, 256),
                  .words = optional("vocab_size_per_layer_input", most_words, of_.extras.words),
                  .low_rank = optional("laurel_rank", most_hidden, of_.extras.low_rank),
                  .streams = optional("altup_num_inputs", most_merged, of_.extras.streams),
                  .sharing = optional("num_kv_shared_layers", of_.layers - 1, 0, 0)};
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

  Architecture of_;
};

// The keys of a Whisper, an encoder and a decoder of one width.
class SoundReader : NumberReader {
 public:
  using NumberReader::NumberReader;

  std::optional<Architecture> read() {
    Architecture of = type_.usual;
    of.layers = required("decoder_layers", most_layers, 0);
    of.hidden = required("d_model", most_hidden, 0);
    of.heads = of.kv_heads = required("decoder_attention_heads", most_heads, 0);
    of.ffn = required("decoder_ffn_dim", most_ffn, 0);
    of.vocabulary = required("vocab_size", most_words, 0);
    const int encoder = required("encoder_layers", most_layers, 0);
    const int heads = required("encoder_attention_heads", most_heads, 0);
    of.vision = llm::whisper(encoder, of.hidden, heads, optional("num_mel_bins", most_hidden, 80), of.layers);
    of.vision.patches = of.cross = optional("max_source_positions", most_patches, 1500);
    if (good_ && (of.hidden % of.heads != 0 || of.hidden % heads != 0))
      problem("d_model", fmt::format("{} channels do not make {} or {} heads", of.hidden, of.heads, heads));
    of.head_dim = of.hidden / of.heads;
    return good_ ? std::optional(of) : std::nullopt;
  }
};

// The keys of a vision_config. Qwen's name three of them in their own way, and have no image_size: their
// images keep their size.
class TowerReader : NumberReader {
 public:
  // `all`: the whole file; `width`: of the decoder.
  TowerReader(const Cursor& at, const ModelType& type, const Cursor& all, int width)
      : NumberReader(at, type), all_(all), width_(width) {}

  std::optional<llm::VisionTower> read() {
    const bool qwen = type_.projector == Projector::merged;
    of_.layers = required(qwen ? "depth" : "num_hidden_layers", most_layers, 0);
    of_.hidden = required(find("embed_dim") ? "embed_dim" : "hidden_size", most_hidden, 0);
    of_.heads = required(qwen ? "num_heads" : "num_attention_heads", most_heads, 0);
    const int ratio = optional("mlp_ratio", most_merged, 0);
    of_.ffn = ratio > 0 ? ratio * of_.hidden : required("intermediate_size", most_ffn, 0);
    of_.gated = type_.name == "qwen2_5_vl" || type_.projector == Projector::joined;
    const int patch = required("patch_size", most_side, 0);
    if (!good_) return std::nullopt;
    const bool free = type_.projector == Projector::joined || (qwen && !find("image_size"));
    const int side = free ? free_side : required("image_size", most_side, 0) / patch;
    of_.patches = side * side;
    if (of_.hidden % of_.heads != 0)
      problem("hidden_size", fmt::format("{} channels do not make {} heads", of_.hidden, of_.heads));
    if (side < 1 || of_.patches > most_patches) problem("patch_size", "does not cut an image into patches");
    if (good_) project(side);
    return good_ ? std::optional(of_) : std::nullopt;
  }

 private:
  static constexpr int free_side = 32;  // patches of a side of an image that keeps its size

  // A number beside the tower: `merge` x `merge` patches become one position.
  void project(int side) {
    const std::int64_t own = of_.hidden, width = width_;
    const auto merge = [&](const std::optional<Cursor>& at, int usual) {
      const auto value = at ? Integer{1, most_merged}(*at) : std::optional<std::int64_t>(usual);
      good_ = good_ && value && *value <= side;
      if (value && *value > side)
        at_.problem(fmt::format("an image of {} patches a side is not merged by {}", side, *value));
      return value.value_or(1);
    };
    std::int64_t by = 1;
    switch (type_.projector) {
      case Projector::none:
        break;
      case Projector::one_layer:
        of_.merger = own * width;
        break;
      case Projector::two_layers:
        of_.merger = own * width + width * width;
        break;
      case Projector::pooled: {
        of_.merger = own * width;
        const auto tokens = all_.value().find("mm_tokens_per_image");
        const auto asked = tokens ? Integer{1, of_.patches}(all_.descend("mm_tokens_per_image"))
                                  : std::optional<std::int64_t>(std::min(256, of_.patches));
        good_ = good_ && asked;
        of_.tokens = static_cast<int>(asked.value_or(1));
        return;
      }
      case Projector::shuffled:
        by = merge(
            all_.value().find("scale_factor") ? std::optional(all_.descend("scale_factor")) : std::nullopt,
            2);
        of_.merger = by * by * own * width;
        break;
      case Projector::joined:
        by = merge(all_.value().find("spatial_merge_size") ? std::optional(all_.descend("spatial_merge_size"))
                                                           : std::nullopt,
                   2);
        of_.merger = by * by * own * own + own * width + width * width;
        break;
      case Projector::merged: {
        by = merge(find("spatial_merge_size"), 2);
        const std::int64_t joined = by * by * own;
        const auto within = find("deepstack_visual_indexes");
        const auto more = within ? static_cast<std::int64_t>(within->value().children.size()) : 0;
        of_.merger = (1 + more) * joined * (joined + width);
        break;
      }
    }
    const int across = side / static_cast<int>(by);
    of_.tokens = across * across;
  }

  const Cursor& all_;
  int width_;
  llm::VisionTower of_;
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
  const char* const key = root->find("model_type") ? "model_type" : "type";  // LeRobot's name
  if (!root->find(key)) {
    problems.add(at.location(), "model_type", "missing", "as in a config.json of Hugging Face");
    return std::nullopt;
  }
  const auto index = read_type(at.descend(key));
  if (!index) return std::nullopt;
  const Cursor all = at;
  const ModelType& whole = model_types[*index];
  std::size_t decoder = *index;
  // In a model with vision, the decoder has a mapping of its own.
  if (const input::Node inner = root->find("text_config"); inner && inner->kind != Kind::nothing) {
    at = at.descend("text_config");
    if (!at.is(Kind::mapping)) {
      at.expected("a mapping: the shapes of the decoder");
      return std::nullopt;
    }
    if (whole.has_decoders) {
      const auto own = inner->find("model_type") ? read_type(at.descend("model_type")) : std::nullopt;
      if (!own) {
        if (!inner->find("model_type")) at.problem("has no model_type");
        return std::nullopt;
      }
      decoder = *own;
    }
  } else if (whole.has_decoders) {
    problems.add(at.location(), "text_config", fmt::format("missing; a {} needs it", whole.name), "");
    return std::nullopt;
  }
  if (whole.name == "whisper") return SoundReader(at, whole).read();
  std::optional<Architecture> of = ShapeReader(at, model_types[decoder]).read();
  if (of) of->stored = stored_format(root);
  const input::Node seen = root->find("vision_config");
  if (!of || whole.projector == Projector::none || !seen || seen->kind == Kind::nothing) return of;
  const Cursor tower = all.descend("vision_config");
  if (!tower.is(Kind::mapping)) {
    tower.expected("a mapping: the shapes of the vision tower");
    return std::nullopt;
  }
  const auto vision = TowerReader(tower, whole, all, of->hidden).read();
  if (!vision) return std::nullopt;
  of->vision = *vision;
  return of;
}

}  // namespace jostle::profiles
