// Language models of which the GPU has only the last layers (`gpu_layers`).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "models/llm/architecture.hpp"
#include "models/llm/offload.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

const std::string qwen = "model: qwen2.5_1.5b, precision: q4_k_m, runtime: llama.cpp, ";
constexpr int blocks = 28;

std::string on_orin(const std::string& entry, const std::string& rest = "") {
  return "device: jetson-orin-nano-super\npower_mode: MAXN_SUPER\njetson_clocks: true\nprocesses:\n  - {" +
         entry + "}\n" + rest + "run: {duration: 4 s}\n";
}
TokenResult tokens_of(const std::string& yaml) {
  const Result result = run_text(yaml);
  EXPECT_EQ(result.processes[0].status, "ok") << result.processes[0].problem;
  return result.processes[0].tokens.value_or(TokenResult{});
}
double decode_s(const std::string& rest) {
  return 1 / tokens_of(on_orin(qwen + "bench: {tg: 16}" + rest)).decode_per_s.value();
}
double prefill_s(const std::string& bench, const std::string& rest) {
  return 1 / tokens_of(on_orin(qwen + "bench: " + bench + rest)).prefill_per_s.value();
}
std::string layers(int n) {
  return ", gpu_layers: " + std::to_string(n);
}
std::string refusal(const std::string& yaml) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({yaml, "talk.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}

TEST(PartialOffload, of_all_layers_changes_nothing) {
  const auto result = [](const std::string& rest) {
    Result found = run_text(on_orin(qwen + "generate: {prompt: 64, tokens: 16}" + rest));
    found.resolved.clear();
    found.scenario_hash.clear();
    return to_json(found);
  };
  EXPECT_EQ(result(layers(blocks + 1)), result(""));
}

TEST(PartialOffload, is_slower_the_fewer_layers_the_GPU_has) {
  double before = decode_s(layers(blocks + 1));
  for (const int n : {28, 21, 14, 7, 0}) {
    const double now = decode_s(layers(n));
    EXPECT_GT(now, before) << n;
    before = now;
  }
}

// Blocks are equal, and GPU and cores take turns: each block that the cores have costs the same.
TEST(PartialOffload, takes_as_much_longer_for_each_block_that_the_cores_have) {
  const double none = decode_s(layers(0)), half = decode_s(layers(blocks / 2)),
               all = decode_s(layers(blocks));
  EXPECT_NEAR(half, (none + all) / 2, 0.02 * half);
}

TEST(PartialOffload, to_the_cores_alone_takes_the_time_of_their_arithmetic_and_bytes) {
  // Six cores of 6.7 operations a clock at 1728 MHz, each moving 16 GB/s when it does not compute, 23 GB/s
  // together.
  const double weights = 1.31e9 + 0.233e9;  // blocks and output layer
  const double bytes = (1.31e9 * 4.85 + 0.233e9 * 6.5625) / 8;
  const double arithmetic = 2 * weights / (6.7 * 1.728e9);
  const double operators = 28 * 20 * (2.5e-6 + 5 * 1.5e-6);  // twenty of a block, on six threads
  const double expected = std::max((arithmetic + bytes / 16e9) / 6, bytes / 23e9) + operators;
  EXPECT_NEAR(decode_s(layers(0)) / expected, 1, 0.08);
}

TEST(PartialOffload, uses_as_many_threads_as_it_is_given) {
  EXPECT_GT(decode_s(layers(0) + ", threads: 1"), 1.8 * decode_s(layers(0) + ", threads: 3"));
  EXPECT_THAT(refusal(on_orin(qwen + "bench: {tg: 8}, threads: 2")),
              HasSubstr("or a language model with gpu_layers or cpu_moe"));
}

TEST(PartialOffload, shares_its_cores_with_others) {
  const std::string busy = "  - {load: busy, threads: 6}\n";
  const auto rate = [&](const std::string& rest) {
    return tokens_of(on_orin(qwen + "bench: {tg: 16}" + layers(7), rest)).decode_per_s.value();
  };
  EXPECT_LT(rate(busy), 0.8 * rate(""));
}

// In fp16 the other model takes most of the memory's bandwidth.
TEST(PartialOffload, shares_the_bandwidth_with_the_GPU_of_others_where_they_have_one_memory) {
  const std::string
      other = "model: qwen2.5_1.5b, precision: fp16, runtime: llama.cpp, bench: {tg: 16}, cpus: [5]",
      own = qwen + "bench: {tg: 16}, gpu_layers: 0, cpus: [0, 1, 2, 3]";
  const Result both = run_text(on_orin(other, "  - {" + own + "}\n"));
  EXPECT_LT(both.processes[0].tokens->decode_per_s.value(),
            0.9 * tokens_of(on_orin(other)).decode_per_s.value());
  EXPECT_LT(both.processes[1].tokens->decode_per_s.value(),
            0.9 * tokens_of(on_orin(own)).decode_per_s.value());
}

// Products of at least 32 rows run on the GPU, with weights that are copied to it.
TEST(PartialOffload, computes_long_prompts_on_the_GPU_and_short_ones_on_the_cores) {
  const double cores = prefill_s("{pp: 16}", layers(0)), copied = prefill_s("{pp: 512}", layers(0)),
               all = prefill_s("{pp: 512}", "");
  EXPECT_GT(cores, 4 * copied);
  EXPECT_GT(copied, all);
}

TEST(PartialOffload, holds_the_same_where_CPU_and_GPU_have_one_memory) {
  const TokenResult some = tokens_of(on_orin(qwen + "bench: {tg: 8}" + layers(10))),
                    all = tokens_of(on_orin(qwen + "bench: {tg: 8}"));
  EXPECT_EQ(some.weights_mb, all.weights_mb);
  EXPECT_EQ(some.kv_cache_mb, all.kv_cache_mb);
}

TEST(PartialOffload, keeps_only_its_own_layers_on_a_card) {
  const llm::Architecture& of = *llm::find_architecture("qwen2.5_1.5b");
  const llm::Serving& by = process::traits_of(Runtime::llama_cpp).serving;
  const auto held = [&](std::int64_t layers) {
    return llm::weights_on_card(of, llm::WeightFormat::q4_k_m, by, {.gpu_layers = layers});
  };
  EXPECT_EQ(held(blocks + 1), llm::weights_held(of, llm::WeightFormat::q4_k_m, by));
  EXPECT_EQ(held(0), 0);
  EXPECT_NEAR(held(21) - held(14), held(7), 1);
  EXPECT_DOUBLE_EQ(llm::cache_on_card(of, 7), 0.25);
}

TEST(PartialOffload, is_refused_where_it_cannot_be) {
  EXPECT_THAT(refusal(on_orin(qwen + "bench: {tg: 8}, gpu_layers: 30")),
              HasSubstr("qwen2.5_1.5b has 28 blocks, and the output layer counts as one more"));
  EXPECT_THAT(
      refusal(on_orin("model: qwen2.5_1.5b, precision: int4, runtime: mlc, bench: {tg: 8}, gpu_layers: 8")),
      HasSubstr("mlc computes all layers on the GPU"));
  EXPECT_THAT(refusal(on_orin("model: resnet50, precision: fp16, gpu_layers: 8")), HasSubstr("gpu_layers"));
  EXPECT_THAT(refusal("device: nvidia-h200\nprocesses:\n  - {" + qwen + "bench: {tg: 8}, gpu_layers: 8}\n"),
              HasSubstr("does not say how fast its cores compute"));
}

TEST(PartialOffload, is_written_as_it_is_read) {
  const std::string once = to_json(scenario_of(on_orin(qwen + "bench: {tg: 8}, gpu_layers: 8, threads: 3")));
  EXPECT_THAT(once, HasSubstr("\"gpu_layers\":8"));
  EXPECT_EQ(to_json(scenario_of(once)), once);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
