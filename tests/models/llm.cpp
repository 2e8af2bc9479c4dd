// Language models: their size as published, and identities of their steps.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "models/dnn/graph/network.hpp"
#include "models/dnn/roofline.hpp"
#include "models/llm/architecture.hpp"
#include "models/llm/core_time.hpp"
#include "models/llm/offload.hpp"
#include "models/llm/step.hpp"
#include "models/llm/weights.hpp"
#include "tests/models/dnn_support.hpp"

namespace jostle::llm {
namespace JOSTLE_FILE {

const Architecture& named(const char* name) {
  return *find_architecture(name);
}

std::int64_t macs_of(const Architecture& of, const Step& step, Operators operators) {
  return network_of(of, step, operators).macs();
}

// Attention of one new position: each head's query with every key, and its mix of the values.
std::int64_t attention_macs(const Architecture& of, std::int64_t positions) {
  return std::int64_t{2} * of.heads * of.head_dim *
         (of.attention_layers() * positions + of.layers * of.cross);
}
// States of Mamba-2 moved on by the keys and read by the queries of each of several tokens.
std::int64_t state_macs(const Architecture& of) {
  return std::int64_t{2} * of.mamba.layers * of.mamba.inner() * of.mamba.state;
}

TEST(Architectures, have_the_published_number_of_parameters) {
  // model.safetensors.index.json of each, Hugging Face
  const std::map<std::string, std::int64_t> published{
      {"cosmos_reason2_2b", 2'127'532'032}, {"gemma2_2b", 2'614'341'888},
      {"gemma3_1b", 999'885'952},           {"gemma3_4b", 4'300'079'472},
      {"llama3.1_8b", 8'030'261'248},       {"llama3.2_1b", 1'235'814'400},
      {"llama3.2_3b", 3'212'749'824},       {"mixtral_8x7b", 46'702'792'704},
      {"olmoe_1b_7b", 6'919'161'856},       {"qwen1.5_moe_a2.7b", 14'315'784'192},
      {"qwen3_30b_a3b", 30'532'122'624},    {"phi3.5_mini", 3'821'079'552},
      {"qwen2.5_0.5b", 494'032'768},        {"qwen2.5_1.5b", 1'543'714'304},
      {"qwen2.5_3b", 3'085'938'688},        {"qwen2.5_7b", 7'615'616'512},
      {"qwen2.5_vl_3b", 3'754'622'976},     {"qwen3_0.6b", 596'049'920},
      {"qwen3_1.7b", 1'720'574'976},        {"qwen3_4b", 4'022'468'096},
      {"qwen3_8b", 8'190'735'360},          {"qwen3_vl_2b", 2'127'532'032},
      {"qwen3_vl_4b", 4'437'815'808},       {"qwen3_vl_8b", 8'767'123'696},
      {"smollm2_1.7b", 1'711'376'384},      {"smollm2_135m", 134'515'008},
      {"smollm2_360m", 361'821'120},        {"smolvlm", 2'246'272'880},
      {"whisper_small_text", 241'734'912},  {"whisper_large_v3_turbo_text", 808'878'080},
      {"smolvlm2_2.2b", 2'246'784'880},     {"tinyllama_1.1b", 1'100'048'384}};
  // Model cards round: 3.4 + 0.4, 8.4 + 0.4 and 31.6 billion.
  const std::map<std::string, double> rounded{
      {"ministral3_3b", 3.85e9}, {"ministral3_8b", 8.9e9}, {"nemotron3_nano_30b_a3b", 31.6e9}};
  EXPECT_EQ(published.size() + rounded.size() + 1, architectures().size());
  for (const auto& [name, count] : rounded)
    EXPECT_NEAR(static_cast<double>(parameters(named(name.c_str()))), count, 0.01 * count) << name;
  for (const Architecture& of : architectures()) {
    if (!published.contains(std::string(of.name))) continue;
    const auto count = static_cast<double>(published.at(std::string(of.name)));
    // Towers have embeddings of patches and biases beside what is counted.
    const double off = of.vision.layers == 0 ? 0 : 0.003;
    EXPECT_NEAR(static_cast<double>(parameters(of)), count, off * count) << of.name;
  }
}

TEST(Architectures, with_experts_have_the_published_number_of_active_parameters) {
  // Model cards and papers: 12.9 (Jiang et al., 2024), 1.3 (Muennighoff et al., 2024), 2.7 and 3.3 billion;
  // that of Qwen1.5-MoE is told as rounded from 2.69.
  EXPECT_NEAR(static_cast<double>(active_parameters(named("mixtral_8x7b"))), 12.9e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(active_parameters(named("olmoe_1b_7b"))), 1.3e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(active_parameters(named("qwen1.5_moe_a2.7b"))), 2.7e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(active_parameters(named("qwen3_30b_a3b"))), 3.3e9, 0.06e9);
  EXPECT_EQ(active_parameters(named("qwen3_4b")), parameters(named("qwen3_4b")));
}

TEST(Architectures, of_gemma_3n_have_the_parameters_that_stay_in_a_GPU_apart_from_their_tables) {
  // Google: 1.91 billion without the tables of embeddings, sound and vision; 5.44 in all, of which sound has
  // 0.68 and vision 0.30.
  const Architecture& of = named("gemma3n_e2b");
  const auto own = static_cast<double>(parameters(of) - embedding_weights(of) - head_weights(of));
  EXPECT_NEAR(own, 1.91e9, 0.01 * 1.91e9);
  EXPECT_NEAR(static_cast<double>(parameters(of)), 5.44e9 - 0.98e9, 0.01 * 5.44e9);
}

TEST(Architectures, with_state_spaces_hold_bytes_a_sequence_and_keys_in_the_blocks_with_attention_alone) {
  const Architecture& of = named("nemotron3_nano_30b_a3b");
  // The technical report's 3.6 billion active ones, embeddings included; 3.2 without.
  EXPECT_NEAR(static_cast<double>(active_parameters(of)), 3.6e9, 0.036e9);
  EXPECT_EQ(kv_bytes_per_token(of), 6 * 2 * 2 * 128 * 2);
  EXPECT_EQ(state_bytes(of), 23 * (64 * 64 * 128 * 4 + 3 * 6144 * 2));
  EXPECT_EQ(state_bytes(named("qwen3_4b")), 0);
  // A step reads and writes every state; a longer context costs it attention in six blocks only.
  double moved = 0;
  for (const auto& layer : layers_of(of, {1, 64}, {}))
    if (layer.name.ends_with(".move")) moved += 2 * 2 * static_cast<double>(layer.out.elements());
  EXPECT_EQ(moved, 23.0 * 2 * 64 * 64 * 128 * 4);
  EXPECT_EQ(macs_of(of, {1, 1023}, Operators::joined) - macs_of(of, {1, 511}, Operators::joined),
            6LL * 2 * 32 * 128 * 512);
}

TEST(Whisper, attends_to_what_is_heard_whose_keys_and_values_its_encoder_gives) {
  const Architecture& of = named("whisper_small_text");
  std::int64_t macs = 0;
  for (const auto& layer : vision_layers(of, dnn::Lowering::optimised)) macs += layer.macs;
  // Twelve blocks on 1500 positions, two convolutions, and the keys and values of the decoder's twelve
  // blocks.
  const std::int64_t n = 768, encoder = 12 * (12 * n * n + 2 * 1500 * n), stem = 2 * 240 * n + 3 * n * n;
  EXPECT_EQ(macs, 1500 * (encoder + stem + 12 * 2 * n * n));
  EXPECT_EQ(state_bytes(of), 12.0 * 2 * 768 * 1500 * 2);
}

TEST(WeightFormats, with_quantised_activations_are_multiplied_as_they_are_but_for_the_last_layer) {
  const Architecture& of = named("qwen3_4b");
  EXPECT_NEAR(weight_bytes(of, WeightFormat::gptq), weight_bytes(of, WeightFormat::awq), 1);
  EXPECT_EQ(row_cost(WeightFormat::gptq, false, 2048).unpacked_as, WeightFormat::awq);
  using enum WeightFormat;
  const std::map<WeightFormat, dnn::Precision> multiplied{{w4a8, dnn::Precision::int8},
                                                          {int8, dnn::Precision::int8},
                                                          {fp8, dnn::Precision::fp8},
                                                          {nvfp4, dnn::Precision::nvfp4}};
  for (const WeightTraits& format : weight_formats) {
    const auto own = multiplied.find(format.format);
    for (const auto& layer : layers_of(of, {64, 0}, {.weights = format.format})) {
      if (layer.op != dnn::Op::linear) continue;
      ASSERT_EQ(layer.precision.has_value(), own != multiplied.end() && layer.name != "lm_head")
          << layer.name;
      if (layer.precision) {
        EXPECT_EQ(*layer.precision, own->second) << format.name;
      }
    }
  }
}

TEST(Experts, that_are_read_are_the_distinct_ones_of_all_tokens) {
  const Experts of{.count = 128, .per_token = 8};
  EXPECT_DOUBLE_EQ(experts_read(of, 1), 8);
  EXPECT_NEAR(experts_read(of, 2), 8 + 8 * (120.0 / 128), 1e-9);  // a choice again has 8 of 128 in common
  EXPECT_NEAR(experts_read(of, 1000), 128, 1e-9);
  EXPECT_DOUBLE_EQ(experts_read({.count = 4, .per_token = 4}, 3), 4);
}

TEST(Architectures, hold_the_known_bytes_of_keys_and_values) {
  EXPECT_EQ(kv_bytes_per_token(named("qwen2.5_1.5b")), 28 * 2 * 2 * 128 * 2);
  EXPECT_EQ(kv_bytes_per_token(named("llama3.1_8b")), 131'072);  // 128 KiB a token
}

TEST(WeightFormats, take_fewer_bytes_the_fewer_bits_they_have) {
  for (const Architecture& of : architectures()) {
    const double half = weight_bytes(of, WeightFormat::fp16);
    EXPECT_NEAR(half, 2 * static_cast<double>(parameters(of)), 1) << of.name;
    EXPECT_LT(weight_bytes(of, WeightFormat::q8_0), half) << of.name;
    EXPECT_LT(weight_bytes(of, WeightFormat::q4_k_m), weight_bytes(of, WeightFormat::q8_0)) << of.name;
  }
  // Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf has 4.92 GB; its table of embeddings has fewer bits than the last
  // layer.
  EXPECT_NEAR(weight_bytes(named("llama3.1_8b"), WeightFormat::q4_k_m) / 4.92e9, 1, 0.04);
}

TEST(LanguageSteps, multiply_every_weight_once_a_token_and_attend_to_every_position) {
  for (const Architecture& of : architectures()) {
    for (const Operators joined : {Operators::apart, Operators::joined, Operators::operators}) {
      const std::int64_t met = block_weights(of) - parameters(of) + active_parameters(of);
      EXPECT_EQ(macs_of(of, {1, 511}, joined), met + head_weights(of) + attention_macs(of, 512)) << of.name;
      // Only the last position of a prompt is scored.
      EXPECT_EQ(macs_of(of, {16, 0}, joined),
                16 * met + head_weights(of) + 16 * (attention_macs(of, 16) + state_macs(of)))
          << of.name;
    }
  }
}

TEST(LanguageSteps, have_fewer_kernels_where_projections_are_joined) {
  const Architecture& of = named("qwen2.5_1.5b");
  const auto apart = layers_of(of, {1, 512}, {});
  const auto joined = layers_of(of, {1, 512}, {.lowering = dnn::Lowering::optimised});
  EXPECT_GT(apart.size(), 20U * 28);
  EXPECT_LT(joined.size(), 12U * 28);
}

TEST(LanguageSteps, carry_the_bits_of_their_weights_and_what_they_cost_to_unpack) {
  ProductCycles cycles{.unpack = {}, .row = 7};
  cycles.unpack[static_cast<std::size_t>(WeightFormat::q4_k_m)] = 0.5;
  int linear = 0, heads = 0;
  for (const auto& layer :
       layers_of(named("llama3.2_1b"), {1, 64}, {.weights = WeightFormat::q4_k_m, .cycles = cycles})) {
    if (layer.op != dnn::Op::linear) {
      EXPECT_EQ(layer.weight_bits, 0) << layer.name;
      continue;
    }
    ++linear;
    const bool head = layer.name == "lm_head";
    heads += head ? 1 : 0;
    EXPECT_EQ(layer.weight_bits, head ? 6.5625 : 4.85) << layer.name;
    EXPECT_EQ(layer.unpack_cycles, 0.5);
    EXPECT_EQ(layer.row_cycles, 7);
  }
  EXPECT_EQ(linear, 7 * 16 + 1);
  EXPECT_EQ(heads, 1);
}

// llama.cpp gives a row four warps; a thread takes 16 weights of Q4_K and Q5_0 at once, eight of Q8_0.
TEST(LanguageSteps, begin_a_short_row_with_the_warps_alone_that_have_weights_of_it) {
  EXPECT_EQ(row_cost(WeightFormat::q4_k_m, false, 2048).begun, 1);
  EXPECT_EQ(row_cost(WeightFormat::q4_k_m, false, 1536).begun, 0.75);
  EXPECT_EQ(row_cost(WeightFormat::q4_k_m, false, 576).begun, 0.5);
  EXPECT_EQ(row_cost(WeightFormat::q8_0, false, 1024).begun, 1);
  EXPECT_EQ(row_cost(WeightFormat::q4_k_m, true, 576).begun, 0.75);
  EXPECT_EQ(row_cost(WeightFormat::int4, false, 64).begun, 1);
}

TEST(LanguageSteps, unpack_the_fifth_bits_of_rows_that_are_no_multiple_of_256) {
  EXPECT_EQ(row_cost(WeightFormat::q4_k_m, false, 1024).unpacking, 1);
  EXPECT_GT(row_cost(WeightFormat::q4_k_m, false, 1152).unpacking, 1);
  EXPECT_EQ(row_cost(WeightFormat::q4_k_m, false, 1152).unpacked_as, WeightFormat::q4_k_m);
  EXPECT_EQ(row_cost(WeightFormat::q4_k_m, true, 1152).unpacked_as, WeightFormat::q8_0);
}

// The time of a decode step behind `context` positions, with these cycles a number of the cache.
double step_s(const char* model, int context, double cache) {
  const auto layers = layers_of(named(model), {1, context}, {.cycles = {.cache = cache}});
  return sim::to_seconds(
      dnn::roofline(layers, 1, dnn::Precision::fp16, dnn::Lowering::framework, dnn::orin()).total());
}

TEST(LanguageSteps, pay_for_numbers_of_the_cache_on_all_SMs_behind_their_bytes) {
  const gpu::Spec gpu = dnn::orin();
  // Llama's eight heads of keys have 128 numbers each, whatever the heads of queries; SmolLM's three have 64.
  for (const auto& [model, numbers] :
       {std::pair{"llama3.1_8b", 32 * 8 * 128.0 * 2}, {"smollm2_135m", 30 * 3 * 64.0 * 2}})
    for (const int context : {187, 15'718})
      EXPECT_NEAR(step_s(model, context, 0.2) - step_s(model, context, 0.1),
                  0.1 * numbers * (context + 1) / (gpu.sm_count * gpu.max_clock_hz), 1e-6)
          << model << " " << context;
}

TEST(LanguageSteps, run_as_many_operators_a_block_as_PyTorch_launches) {
  // evidence/h100-users: 24 kernels a block, of which one adds the parts of a split product; 582 and 706 in
  // all.
  const auto layers =
      dnn::fuse(network_of(named("qwen2.5_0.5b"), {1, 512}, Operators::operators), dnn::Lowering::framework);
  // Attention is three layers here, and one kernel there; a split product is one layer.
  EXPECT_EQ(layers.size(), 24U * (24 + 2 - 1) + 4);
}

TEST(LanguageSteps, score_every_token_that_a_draft_proposed) {
  const Architecture& of = named("qwen2.5_1.5b");
  const std::int64_t one = macs_of(of, {.tokens = 5, .context = 64}, Operators::joined);
  const std::int64_t all = macs_of(of, {.tokens = 5, .context = 64, .scored = 5}, Operators::joined);
  EXPECT_EQ(all - one, 4 * head_weights(of));
}

// The bytes of keys and values that the attention of all blocks reads, for one sequence.
double cache_bytes(const std::vector<dnn::FusedLayer>& layers) {
  double bytes = 0;
  for (const auto& layer : layers)
    bytes += layer.cache_bits / 8 * static_cast<double>(layer.cache_bits > 0 ? layer.other_elements : 0);
  return bytes;
}

TEST(LanguageSteps, read_the_keys_and_values_of_every_position) {
  const Architecture& of = named("llama3.1_8b");
  EXPECT_EQ(cache_bytes(layers_of(of, {1, 511}, {})), 512 * kv_bytes_per_token(of));
}

double products_of_attention(const Architecture& of, const Step& step) {
  double macs = 0;
  for (const auto& layer : layers_of(of, step, {}))
    if (layer.op == dnn::Op::matmul) macs += static_cast<double>(layer.macs);
  return macs;
}

TEST(Windows, are_all_that_a_layer_with_one_keeps_reads_and_multiplies) {
  const Architecture& of = named("gemma3_4b");
  Architecture whole = of;
  whole.sliding = {};
  constexpr double layer = 4 * 256 * 2 * 2;  // bytes of a position: heads, their width, keys and values, fp16
  EXPECT_EQ(kv_bytes_per_token(of, 1024), 34 * layer);
  EXPECT_DOUBLE_EQ(32768 * kv_bytes_per_token(of, 32768), layer * (5 * 32768 + 29 * 1024));
  EXPECT_DOUBLE_EQ(32768 * kv_bytes_per_token(of, 32768, 512), layer * (5 * 32768 + 29 * 1536));
  EXPECT_DOUBLE_EQ(cache_bytes(layers_of(of, {1, 32767}, {})), 32768 * kv_bytes_per_token(of, 32768));
  EXPECT_EQ(cache_bytes(layers_of(of, {1, 1000}, {})), cache_bytes(layers_of(whole, {1, 1000}, {})));
  EXPECT_DOUBLE_EQ(products_of_attention(of, {4096, 0}) / products_of_attention(whole, {4096, 0}),
                   (5 + 29 * 0.25) / 34);
  EXPECT_EQ(products_of_attention(of, {512, 0}), products_of_attention(whole, {512, 0}));
  for (const Architecture& each : architectures()) EXPECT_LE(each.sliding.layers, each.layers) << each.name;
}

TEST(WeightBytes, of_rows_that_are_no_multiple_of_256_are_those_of_larger_formats) {
  // gemma-3-1b-it-Q4_K_M.gguf has 806 MB, Qwen2.5-0.5B-Instruct-Q4_K_M.gguf 398 MB, where one table holds
  // embeddings and last layer; Llama-3.2-1B-Instruct-Q4_K_M.gguf, whose rows fit, 808 MB.
  EXPECT_NEAR(weight_bytes(named("gemma3_1b"), WeightFormat::q4_k_m) / 806e6, 1, 0.05);
  EXPECT_NEAR(weight_bytes(named("qwen2.5_0.5b"), WeightFormat::q4_k_m) / 398e6, 1, 0.05);
  EXPECT_NEAR(weight_bytes(named("llama3.2_1b"), WeightFormat::q4_k_m) / 808e6, 1, 0.05);
  for (const Architecture& of : architectures()) {
    const RowWidths rows = weights_by_row(of);
    EXPECT_EQ(rows.hidden + rows.queries + rows.ffn, block_weights(of)) << of.name;
  }
}

// The weights of the experts that the layers of one step read.
double expert_weights(const Architecture& of, const Step& step) {
  double read = 0;
  for (const auto& layer : layers_of(of, step, {}))
    if (layer.experts > 0) read += static_cast<double>(layer.weights) * layer.sets_of_weights();
  return read;
}

TEST(LanguageSteps, read_the_experts_of_all_sequences_once) {
  const Architecture& of = named("olmoe_1b_7b");
  const double one = 3.0 * of.hidden * of.ffn * of.layers;  // expert of every block
  EXPECT_NEAR(expert_weights(of, {1, 64, 1}) / one, 8, 1e-9);
  EXPECT_NEAR(expert_weights(of, {1, 64, 4}) / one, experts_read(of.experts, 4), 1e-9);
  EXPECT_NEAR(expert_weights(of, {512, 0, 1}) / one, 64, 1e-6);
  EXPECT_EQ(expert_weights(named("qwen3_4b"), {1, 64, 1}), 0);
}

TEST(HeldMemory, of_llama_cpp_is_what_its_log_says) {
  const Serving by{.positions = 4096, .tables = 2, .step = 512, .scored = 512};
  constexpr double mib = 1024.0 * 1024;
  const Architecture& of = named("qwen2.5_1.5b");
  EXPECT_NEAR(buffers_held(of, by, {.longest = 200, .prompt = 100}) / mib, 299.75, 0.01);
  EXPECT_EQ(positions_held(by, {.longest = 200}), 4096);
  EXPECT_EQ(positions_held(by, {.sequences = 4, .longest = 2000}), 8000);
  EXPECT_EQ(positions_held(by, {.sequences = 2, .longest = 200, .context = 300}), 600);
  EXPECT_EQ(positions_held({.positions = 100, .each = true}, {.sequences = 3, .longest = 50}), 300);
  // Embeddings and last layer are one table in the model.
  const double apart = weights_held(of, WeightFormat::fp16, by), one = weight_bytes(of, WeightFormat::fp16);
  EXPECT_EQ(apart - one, 2.0 * 151936 * 1536);
  EXPECT_EQ(weights_held(named("qwen2.5_7b"), WeightFormat::fp16, by),
            weight_bytes(named("qwen2.5_7b"), WeightFormat::fp16));
}

// A layer of 1000 x 1024 weights in q8_0, at 2 GHz: 1.024 million multiply-adds at 8 operations a clock take
// 128 us on a core, and 1.088 MB at 10 GB/s 108.8 us.
TEST(CoreTime, is_that_of_arithmetic_and_loads_on_few_threads_and_of_the_memory_on_many) {
  dnn::FusedLayer layer;
  layer.op = dnn::Op::linear;
  layer.in = {1024, 1};
  layer.out = {1000, 1};
  layer.macs = layer.weights = 1'024'000;
  layer.weight_bits = 8.5;
  CoreRates rates;
  rates.core_bandwidth_bytes_per_s = 10e9;
  rates.bandwidth_bytes_per_s = 16e9;
  rates.crowding = 0.25;
  rates.ops_per_clock[static_cast<std::size_t>(WeightFormat::q8_0)] = 8;
  const auto us = [&](int threads, std::int64_t batch = 1) {
    const dnn::HostTeam team{.threads = threads, .reference_clock_hz = 2e9, .clock_hz = 2e9};
    return 1e3 * sim::to_ms(core_time(layer, batch, WeightFormat::q8_0, rates, team));
  };
  EXPECT_NEAR(us(1), 128 + 108.8, 0.1);
  EXPECT_NEAR(us(2), (128 + 108.8) / 2, 0.1);
  EXPECT_NEAR(us(4), 68 * 1.5, 0.1);                    // 16 GB/s, less by two threads that crowd
  EXPECT_NEAR(us(4, 16), (16 * 128 + 108.8) / 4, 0.1);  // the weights are read once for all sequences
  rates.per_operator = sim::microseconds(3);
  rates.per_thread = sim::microseconds(2);
  EXPECT_NEAR(us(4), 68 * 1.5 + 3 + 3 * 2, 0.1);
  EXPECT_THROW((void)core_time(layer, 1, WeightFormat::fp16, CoreRates{}, {}), std::invalid_argument);
}

TEST(LanguageSteps, without_tokens_are_refused) {
  EXPECT_THROW((void)network_of(named("llama3.2_1b"), {0, 64}, Operators::apart), std::invalid_argument);
  EXPECT_THROW((void)network_of(named("llama3.2_1b"), {1, 1 << 30}, Operators::apart), std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::llm
