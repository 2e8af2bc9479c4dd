// config.json of Hugging Face: the shapes of language models as their files give them, and what is refused.
#include "profiles/readers/language_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "models/llm/weights.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

std::optional<llm::Architecture> read(const std::string& text) {
  input::Problems problems;
  auto found = parse_config(text, "config.json", problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  return found;
}
std::string refusal(const std::string& text) {
  input::Problems problems;
  EXPECT_FALSE(parse_config(text, "models/config.json", problems));
  return problems.text();
}

// A file of one line: `type` and shapes in the order of the keys below; more keys in `rest`.
std::string config(const std::string& type, const std::array<int, 6>& shapes, const std::string& rest = "") {
  const auto [layers, hidden, heads, keys, ffn, words] = shapes;
  return "{\"model_type\": \"" + type + "\", \"num_hidden_layers\": " + std::to_string(layers) +
         ", \"hidden_size\": " + std::to_string(hidden) +
         ", \"num_attention_heads\": " + std::to_string(heads) +
         ", \"num_key_value_heads\": " + std::to_string(keys) +
         ", \"intermediate_size\": " + std::to_string(ffn) + ", \"vocab_size\": " + std::to_string(words) +
         ", \"torch_dtype\": \"bfloat16\", \"rope_scaling\": null, \"rms_norm_eps\": 1e-05" + rest + "}";
}

TEST(LanguageConfigs, give_the_published_number_of_parameters) {
  // Shapes as in each model's config.json; counts as in its model.safetensors.index.json.
  const std::map<std::string, std::pair<std::string, std::int64_t>> published{
      {"google/gemma-2b",
       {config("gemma", {18, 2048, 8, 1, 16384, 256000}, ", \"head_dim\": 256"), 2'506'172'416}},
      {"google/gemma-2-2b",
       {config("gemma2", {26, 2304, 8, 4, 9216, 256000}, ", \"head_dim\": 256"), 2'614'341'888}},
      {"google/gemma-3-1b-it",
       {config("gemma3_text", {26, 1152, 4, 1, 6912, 262144}, ", \"head_dim\": 256"), 999'885'952}},
      {"meta-llama/Llama-3.2-1B",
       {config("llama", {16, 2048, 32, 8, 8192, 128256},
               ", \"head_dim\": 64, \"tie_word_embeddings\": true, \"attention_bias\": false"),
        1'235'814'400}},
      {"meta-llama/Llama-2-7b-hf", {config("llama", {32, 4096, 32, 32, 11008, 32000}), 6'738'415'616}},
      {"HuggingFaceTB/SmolLM2-135M",
       {config("llama", {30, 576, 9, 3, 1536, 49152}, ", \"tie_word_embeddings\": true"), 134'515'008}},
      {"HuggingFaceTB/SmolLM3-3B", {config("smollm3", {36, 2048, 16, 4, 11008, 128256}), 3'075'098'624}},
      {"mistralai/Mistral-7B-v0.3",
       {config("mistral", {32, 4096, 32, 8, 14336, 32768}, ", \"sliding_window\": null"), 7'248'023'552}},
      {"microsoft/Phi-3.5-mini-instruct", {config("phi3", {32, 3072, 32, 32, 8192, 32064}), 3'821'079'552}},
      {"Qwen/Qwen2.5-1.5B",
       {config("qwen2", {28, 1536, 12, 2, 8960, 151936}, ", \"tie_word_embeddings\": true"), 1'543'714'304}},
      {"Qwen/Qwen2.5-7B",
       {config("qwen2", {28, 3584, 28, 4, 18944, 152064}, ", \"tie_word_embeddings\": false"),
        7'615'616'512}},
      {"Qwen/Qwen3-4B",
       {config("qwen3", {36, 2560, 32, 8, 9728, 151936}, ", \"tie_word_embeddings\": true"), 4'022'468'096}},
      {"mistralai/Mixtral-8x7B-v0.1",
       {config("mixtral", {32, 4096, 32, 8, 14336, 32000},
               ", \"num_local_experts\": 8, \"num_experts_per_tok\": 2"),
        46'702'792'704}},
      {"allenai/OLMoE-1B-7B-0924",
       {config("olmoe", {16, 2048, 16, 16, 1024, 50304}, ", \"num_experts\": 64, \"num_experts_per_tok\": 8"),
        6'919'161'856}},
      {"Qwen/Qwen1.5-MoE-A2.7B",
       {config("qwen2_moe", {24, 2048, 16, 16, 5632, 151936},
               ", \"num_experts\": 60, \"num_experts_per_tok\": 4, \"moe_intermediate_size\": 1408, "
               "\"shared_expert_intermediate_size\": 5632, \"decoder_sparse_step\": 1"),
        14'315'784'192}},
      {"Qwen/Qwen3-30B-A3B",
       {config("qwen3_moe", {48, 2048, 32, 4, 6144, 151936},
               ", \"head_dim\": 128, \"num_experts\": 128, \"num_experts_per_tok\": 8, "
               "\"moe_intermediate_size\": 768, \"mlp_only_layers\": []"),
        30'532'122'624}},
      {"Qwen/Qwen3-VL-30B-A3B-Instruct, the decoder",
       {config("qwen3_vl_moe", {48, 2048, 32, 4, 6144, 151936},
               ", \"head_dim\": 128, \"num_experts\": 128, \"num_experts_per_tok\": 8, "
               "\"moe_intermediate_size\": 768"),
        30'532'122'624}}};
  for (const auto& [name, of] : published) {
    const auto found = read(of.first);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(parameters(*found), of.second) << name;
  }
}

// The keys that shape nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16.
std::string nemotron(const std::string& pattern = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME") {
  return config(
      "nemotron_h", {52, 2688, 32, 2, 1856, 131072},
      ", \"head_dim\": 128, \"hybrid_override_pattern\": \"" + pattern +
          "\", \"mamba_num_heads\": 64, \"mamba_head_dim\": 64, \"n_groups\": 8, \"ssm_state_size\": 128, "
          "\"conv_kernel\": 4, \"n_routed_experts\": 128, \"num_experts_per_tok\": 6, \"n_shared_experts\": "
          "1, "
          "\"moe_intermediate_size\": 1856, \"moe_shared_expert_intermediate_size\": 3712");
}

TEST(LanguageConfigs, of_what_people_run_give_the_models_that_are_built_in) {
  const std::string whisper =
      R"({"model_type": "whisper", "d_model": 768, "encoder_layers": 12, "encoder_attention_heads": 12, "decoder_layers": 12,
          "decoder_attention_heads": 12, "decoder_ffn_dim": 3072, "encoder_ffn_dim": 3072, "vocab_size": 51865,
          "num_mel_bins": 80, "max_source_positions": 1500})";
  const std::string gemma =
      R"({"model_type": "gemma3n", "audio_config": {}, "vision_config": {"architecture": "mobilenetv5_300m_enc"}, "text_config": )" +
      config("gemma3n_text", {30, 2048, 8, 2, 8192, 262400},
             ", \"head_dim\": 256, \"hidden_size_per_layer_input\": 256, \"vocab_size_per_layer_input\": "
             "262144, "
             "\"laurel_rank\": 64, \"altup_num_inputs\": 4, \"num_kv_shared_layers\": 10") +
      "}";
  const std::string ministral =
      R"({"model_type": "mistral3", "spatial_merge_size": 2, "vision_config": {"model_type": "pixtral", "hidden_size": 1024,
          "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "patch_size": 14, "image_size": 1540},
          "text_config": )" +
      config("ministral3", {26, 3072, 32, 8, 9216, 131072},
             ", \"head_dim\": 128, \"tie_word_embeddings\": true") +
      "}";
  for (const auto& [name, text] : std::map<std::string, std::string>{{"gemma3n_e2b", gemma},
                                                                     {"ministral3_3b", ministral},
                                                                     {"nemotron3_nano_30b_a3b", nemotron()},
                                                                     {"whisper_small_text", whisper}}) {
    SCOPED_TRACE(name);
    const auto found = read(text);
    ASSERT_TRUE(found);
    const llm::Architecture& known = *llm::find_architecture(name);
    EXPECT_EQ(llm::parameters(*found), llm::parameters(known));
    EXPECT_EQ(llm::active_parameters(*found), llm::active_parameters(known));
    EXPECT_EQ(llm::kv_bytes_per_token(*found), llm::kv_bytes_per_token(known));
    EXPECT_EQ(llm::state_bytes(*found), llm::state_bytes(known));
    EXPECT_EQ(found->vision.tokens, known.vision.tokens);
  }
  EXPECT_THAT(refusal(nemotron("MEM")), HasSubstr("expected a letter for each layer"));
}

TEST(LanguageConfigs, leave_out_what_their_class_of_configuration_knows) {
  const auto found = read(
      "{model_type: gemma3, text_config: {hidden_size: 2560, intermediate_size: 10240, num_hidden_layers: "
      "34}}");
  ASSERT_TRUE(found);
  EXPECT_EQ(parameters(*found), 3'880'263'168);  // language_model of google/gemma-3-4b-it, with 262,208 words
  EXPECT_EQ(found->vision.layers, 0);
  EXPECT_EQ(read(config("llama", {2, 64, 4, 4, 128, 1000}))->head_dim, 16);
}

// Files written for this test in the form of those of SmolVLM, Qwen2.5-VL-3B and Qwen3-VL-2B, not copies of
// them.
const std::string smolvlm =
    "{model_type: idefics3, scale_factor: 3, text_config: {model_type: llama, num_hidden_layers: 24, "
    "hidden_size: 2048, num_attention_heads: 32, intermediate_size: 8192, vocab_size: 49155}, vision_config: "
    "{num_hidden_layers: 27, hidden_size: 1152, num_attention_heads: 16, intermediate_size: 4304, "
    "image_size: 384, patch_size: 14}}";
const std::string qwen25_vl =
    "{model_type: qwen2_5_vl, num_hidden_layers: 36, hidden_size: 2048, num_attention_heads: 16, "
    "num_key_value_heads: 2, intermediate_size: 11008, vocab_size: 151936, tie_word_embeddings: true, "
    "vision_config: {depth: 32, hidden_size: 1280, intermediate_size: 3420, num_heads: 16, "
    "out_hidden_size: 2048, patch_size: 14, spatial_merge_size: 2}}";
const std::string qwen3_vl =
    "{model_type: qwen3_vl, text_config: {num_hidden_layers: 28, hidden_size: 2048, num_attention_heads: 16, "
    "num_key_value_heads: 8, head_dim: 128, intermediate_size: 6144, vocab_size: 151936, "
    "tie_word_embeddings: true}, vision_config: {depth: 24, hidden_size: 1024, intermediate_size: 4096, "
    "num_heads: 16, patch_size: 16, spatial_merge_size: 2, deepstack_visual_indexes: [5, 11, 17]}}";

TEST(LanguageConfigs, give_the_towers_of_the_models_that_are_built_in) {
  for (const auto& [name, text] : {std::pair("smolvlm", smolvlm), std::pair("qwen2.5_vl_3b", qwen25_vl),
                                   std::pair("cosmos_reason2_2b", qwen3_vl)}) {
    const auto found = read(text);
    ASSERT_TRUE(found) << name;
    const llm::VisionTower &tower = found->vision, &known = llm::find_architecture(name)->vision;
    EXPECT_EQ(std::tuple(tower.layers, tower.hidden, tower.heads, tower.ffn, tower.gated),
              std::tuple(known.layers, known.hidden, known.heads, known.ffn, known.gated))
        << name;
    EXPECT_EQ(std::tuple(tower.patches, tower.tokens, tower.merger),
              std::tuple(known.patches, known.tokens, known.merger))
        << name;
  }
}

TEST(LanguageConfigs, give_an_image_the_positions_that_its_model_card_says) {
  const std::string siglip =
      "num_hidden_layers: 27, hidden_size: 1152, num_attention_heads: 16, intermediate_size: 4304, "
      "patch_size: 14, image_size: ";
  const std::string decoder =
      "text_config: {model_type: gemma, num_hidden_layers: 18, hidden_size: 2048, num_attention_heads: 8, "
      "num_key_value_heads: 1, intermediate_size: 16384, vocab_size: 257216}";
  EXPECT_EQ(
      read("{model_type: paligemma, " + decoder + ", vision_config: {" + siglip + "224}}")->vision.tokens,
      256);
  EXPECT_EQ(
      read("{model_type: paligemma, " + decoder + ", vision_config: {" + siglip + "448}}")->vision.tokens,
      1024);
  const auto gemma = read(
      "{model_type: gemma3, mm_tokens_per_image: 256, text_config: {hidden_size: 2560, intermediate_size: "
      "10240, num_hidden_layers: 34}, vision_config: {" +
      siglip + "896}}");
  EXPECT_EQ(gemma->vision.patches, 4096);
  EXPECT_EQ(gemma->vision.tokens, 256);
  // CLIP's large tower of LLaVA 1.5, at 336 x 336.
  const auto llava = read(
      "{model_type: llava, text_config: {model_type: llama, num_hidden_layers: 32, hidden_size: 4096, "
      "num_attention_heads: 32, intermediate_size: 11008, vocab_size: 32064}, vision_config: "
      "{num_hidden_layers: 24, hidden_size: 1024, num_attention_heads: 16, intermediate_size: 4096, "
      "image_size: 336, patch_size: 14}}");
  EXPECT_EQ(llava->vision.tokens, 576);
}

TEST(LanguageConfigs, with_a_tower_that_makes_no_sense_are_refused) {
  const auto without = [](std::string text, const std::string& part, const std::string& instead = "") {
    return text.replace(text.find(part), part.size(), instead);
  };
  EXPECT_THAT(refusal(without(qwen3_vl, "num_heads: 16, ")),
              HasSubstr("vision_config.num_heads: missing; a qwen3_vl needs it"));
  EXPECT_THAT(refusal(without(smolvlm, "patch_size: 14", "patch_size: 500")), HasSubstr("into patches"));
  EXPECT_THAT(refusal(without(qwen25_vl, "num_heads: 16", "num_heads: 17")),
              HasSubstr("do not make 17 heads"));
  EXPECT_THAT(refusal(without(smolvlm, "model_type: llama, ")), HasSubstr("has no model_type"));
  EXPECT_THAT(refusal("{model_type: llava}"), HasSubstr("text_config: missing; a llava needs it"));
}

TEST(LanguageConfigs, that_lack_a_key_name_it_and_the_file) {
  const std::string missing = refusal(
      "{\n  \"model_type\": \"llama\",\n  \"hidden_size\": 64,\n  \"num_hidden_layers\": 2,\n  "
      "\"vocab_size\": 100\n}\n");
  EXPECT_THAT(missing, HasSubstr("models/config.json"));
  EXPECT_THAT(missing, HasSubstr("num_attention_heads: missing; a llama needs it"));
  EXPECT_THAT(missing, HasSubstr("intermediate_size: missing"));
  EXPECT_THAT(refusal("{\"model_type\": \"mixtral\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
                      "\"vocab_size\": 100, \"num_attention_heads\": 4, \"intermediate_size\": 64}"),
              HasSubstr("num_local_experts: missing"));
  EXPECT_THAT(refusal("{\"hidden_size\": 64}"), HasSubstr("model_type: missing"));
}

// openai/gpt-oss-20b.
const std::string gpt_oss =
    R"({model_type: gpt_oss, num_hidden_layers: 24, hidden_size: 2880, num_attention_heads: 64, num_key_value_heads: 8,
        head_dim: 64, intermediate_size: 2880, vocab_size: 201088, num_local_experts: 32, num_experts_per_tok: 4,
        attention_bias: true, tie_word_embeddings: false, sliding_window: 128, quantization_config: {quant_method: mxfp4}})";

TEST(LanguageConfigs, of_gpt_oss_keep_all_but_experts_in_16_bits_and_half_of_the_layers_in_a_window) {
  const auto of = read(gpt_oss);
  ASSERT_TRUE(of);
  // 20,914,757,184 with the biases of experts and outputs, which are not counted; 13.76 GB of safetensors.
  EXPECT_NEAR(static_cast<double>(parameters(*of)) / 20'914'757'184, 1, 0.001);
  EXPECT_NEAR(llm::weight_bytes(*of, llm::WeightFormat::mxfp4) / 13.76e9, 1, 0.01);
  EXPECT_EQ(of->stored, "mxfp4");
  EXPECT_EQ(of->sliding.window, 128);
  EXPECT_EQ(of->sliding.layers, 12);
}

TEST(LanguageConfigs, tell_which_layers_have_a_window) {
  const auto sliding = [](const std::string& type, const std::string& more) {
    const auto of = read(config(type, {12, 64, 4, 4, 128, 1000}, more));
    return of ? std::pair(of->sliding.window, of->sliding.layers) : std::pair(-1, -1);
  };
  EXPECT_EQ(sliding("gemma3_text", ", \"sliding_window\": 512"), std::pair(512, 10));
  EXPECT_EQ(sliding("gemma3_text", ", \"sliding_window\": 512, \"sliding_window_pattern\": 3"),
            std::pair(512, 8));
  EXPECT_EQ(sliding("gemma2", ""), std::pair(4096, 6));
  EXPECT_EQ(sliding("mistral", ", \"sliding_window\": 4096"), std::pair(4096, 12));
  EXPECT_EQ(sliding("mistral", ", \"sliding_window\": null"), std::pair(0, 0));
  EXPECT_EQ(sliding("qwen2", ", \"sliding_window\": 4096, \"use_sliding_window\": false"), std::pair(0, 0));
  EXPECT_EQ(
      sliding("llama", ", \"sliding_window\": 100, \"layer_types\": [sliding_attention, full_attention]"),
      std::pair(100, 1));
}

TEST(LanguageConfigs, of_quantised_files_say_their_format) {
  const auto stored = [](const std::string& quantised) {
    return std::string(
        read(config("llama", {2, 64, 4, 4, 128, 1000}, ", \"quantization_config\": " + quantised))->stored);
  };
  EXPECT_EQ(stored("{\"quant_method\": \"awq\", \"bits\": 4}"), "awq");
  EXPECT_EQ(stored("{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\"}"), "nvfp4");
  EXPECT_EQ(stored("{\"quant_method\": \"compressed-tensors\", \"format\": \"int-quantized\"}"), "int8");
  EXPECT_EQ(stored("{\"quant_method\": \"bitsandbytes\"}"), "");
}

TEST(LanguageConfigs, of_an_unknown_kind_are_refused) {
  EXPECT_THAT(refusal("{\"model_type\": \"lfm2\"}"),
              HasSubstr("jostle does not read models of type 'lfm2' from a config.json (it reads gemma, "));
  EXPECT_THAT(refusal("{\"model_type\": \"qwen3_5\"}"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(refusal("{\"model_type\": \"dinov3_vit\"}"),
              HasSubstr("(built in: model: vit_small_patch16_dinov3)"));
  EXPECT_THAT(refusal("{\"type\": \"pi05\"}"), HasSubstr("pi05_vision"));
  EXPECT_THAT(refusal("[1, 2]"), HasSubstr("config.json of Hugging Face"));
  EXPECT_THAT(refusal("{\"model_type\": "), HasSubstr("models/config.json"));
}

TEST(LanguageConfigs, with_values_that_make_no_model_are_refused) {
  EXPECT_THAT(refusal(config("llama", {2, 64, 4, 3, 128, 1000})), HasSubstr("num_key_value_heads"));
  EXPECT_THAT(refusal(config("llama", {2, 2, 4, 4, 128, 1000})), HasSubstr("hidden_size"));
  EXPECT_THAT(refusal(config("llama", {0, 64, 4, 4, 128, 1000})), HasSubstr("num_hidden_layers"));
  EXPECT_THAT(refusal(config("llama", {2, 64, 4, 4, 128, 1'000'000'000})), HasSubstr("vocab_size"));
  EXPECT_THAT(refusal(config("llama", {2, 64, 4, 4, 128, 1000}, ", \"mlp_bias\": true")),
              HasSubstr("mlp_bias"));
  const std::string experts = ", \"num_experts\": 8, \"moe_intermediate_size\": 64";
  const std::array<int, 6> small{2, 64, 4, 4, 128, 1000};
  EXPECT_THAT(refusal(config("qwen3_moe", small, experts + ", \"num_experts_per_tok\": 9")),
              HasSubstr("more than the 8 experts"));
  EXPECT_THAT(refusal(config("qwen3_moe", small, experts + ", \"decoder_sparse_step\": 2")),
              HasSubstr("not modelled together"));
  EXPECT_THAT(refusal(config("qwen3_moe", small, experts + ", \"mlp_only_layers\": [0]")),
              HasSubstr("not modelled together"));
}

TEST(LanguageConfigs, with_one_wrong_value_have_one_problem) {
  // The key that follows from it stands before it, as in files whose keys are sorted.
  const std::string wrong = refusal(
      "{\n\"hidden_size\": 64, \"intermediate_size\": 64, \"model_type\": \"mixtral\",\n"
      "\"num_attention_heads\": 4, \"num_experts_per_tok\": 2,\n\"num_hidden_layers\": 2,\n"
      "\"num_local_experts\": \"eight\",\n\"vocab_size\": 100}\n");
  EXPECT_THAT(wrong, HasSubstr(":5: num_local_experts"));
  EXPECT_EQ(std::ranges::count(wrong, '\n'), 1) << wrong;
  const std::string inner = refusal("{\"model_type\": \"gemma3\", \"text_config\": [1]}");
  EXPECT_THAT(inner, HasSubstr("text_config: expected a mapping"));
  EXPECT_EQ(std::ranges::count(inner, '\n'), 1) << inner;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
