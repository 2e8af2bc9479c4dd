// Language models: what scenarios say of them, and laws of what they give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace {

using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

std::string on_orin(const std::string& entry, const std::string& rest = "run: {duration: 4 s}\n") {
  return "device: jetson-orin-nano-super\npower_mode: MAXN_SUPER\njetson_clocks: true\nprocesses:\n  - {" +
         entry + "}\n" + rest;
}
TokenResult tokens_of(const std::string& yaml) {
  const Result result = run_text(yaml);
  EXPECT_EQ(result.processes[0].status, "ok") << result.processes[0].problem;
  return result.processes[0].tokens.value_or(TokenResult{});
}
const std::string qwen = "model: qwen2.5_1.5b, precision: q4_k_m, runtime: llama.cpp, ";

std::string refusal(const std::string& yaml) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({yaml, "talk.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}

TEST(LanguageModels, are_read_with_every_runtime_that_serves_text) {
  for (const process::RuntimeTraits& row : process::runtimes) {
    if (!row.serves_text) continue;
    const Scenario read = scenario_of(
        on_orin(std::string("model: qwen2.5_1.5b, precision: fp16, bench: {tg: 8}, runtime: ") + row.name));
    EXPECT_EQ(read.processes[0].runtime, row.runtime);
    EXPECT_EQ(read.processes[0].sync, row.blocks ? Sync::blocking : Sync::automatic);
  }
}

TEST(LanguageModels, are_asked_for_something) {
  EXPECT_THAT(refusal(on_orin("model: qwen2.5_1.5b, precision: q4_k_m")), HasSubstr("what it is asked for"));
  EXPECT_THAT(refusal(on_orin(qwen + "generate: {prompt: 8}")), HasSubstr("tokens"));
  EXPECT_THAT(refusal(on_orin(qwen + "bench: {tg: 8, pp: 8}")), HasSubstr("exactly one of tg and pp"));
  EXPECT_THAT(refusal(on_orin(qwen + "bench: {tg: 8}, generate: {prompt: 8, tokens: 8}")),
              HasSubstr("keep one"));
  EXPECT_THAT(refusal(on_orin(qwen + "bench: {tg: 8}, users: 2")), HasSubstr("one sequence"));
  EXPECT_THAT(refusal(on_orin(qwen + "generate: {prompt: {uniform: [9, 3]}, tokens: 8}")),
              HasSubstr("least"));
  EXPECT_THAT(refusal(on_orin(qwen + "generate: {prompt: 8, tokens: 8, images: 1}")),
              HasSubstr("reads no images"));
  EXPECT_THAT(refusal(on_orin("model: qwen2.5_1.5b, precision: q5_k, bench: {tg: 8}")), HasSubstr("q4_k_m"));
  EXPECT_THAT(refusal(on_orin("model: qwen2.5_1.5b, precision: fp16, runtime: tensorrt, bench: {tg: 8}")),
              HasSubstr("does not run language models"));
  EXPECT_THAT(refusal(on_orin("model: resnet50, precision: fp16, runtime: vllm")),
              HasSubstr("other than language"));
  EXPECT_THAT(refusal(on_orin("model: resnet50, precision: fp16, bench: {tg: 8}")), HasSubstr("bench"));
}

TEST(LanguageModels, are_written_as_they_are_read) {
  const std::vector<std::string> asked{
      "bench: {tg: 64, depth: 100}", "bench: {pp: 64}",
      "generate: {prompt: 64, tokens: 8, reuse: 50 %, chunk: 16}, users: 3",
      "generate: {prompt: {uniform: [8, 64]}, tokens: {lognormal: {mean: 20, "
      "variation: 0.5}}}, arrivals: {poisson: 1 /s}, max_batch: 2"};
  for (const std::string& of : asked) {
    const std::string once = to_json(scenario_of(on_orin(qwen + of)));
    EXPECT_EQ(to_json(scenario_of(once)), once) << of;
  }
  const std::string vlm =
      "model: smolvlm, precision: fp16, runtime: mlc, generate: {prompt: 20, tokens: 8, images: 2}";
  const std::string once = to_json(scenario_of(on_orin(vlm)));
  EXPECT_EQ(to_json(scenario_of(once)), once);
}

TEST(LanguageModels, of_a_bench_do_one_thing) {
  const TokenResult decode = tokens_of(on_orin(qwen + "bench: {tg: 32, depth: 64}"));
  EXPECT_FALSE(decode.prefill_per_s);
  EXPECT_NEAR(*decode.decode_per_s * *decode.itl_mean / 1e3, 1, 0.02);
  const TokenResult prefill = tokens_of(on_orin(qwen + "bench: {pp: 256}"));
  EXPECT_FALSE(prefill.decode_per_s);
  EXPECT_NEAR(*prefill.prefill_per_s * *prefill.ttft_mean / 1e3 / 256, 1, 0.02);
}

TEST(LanguageModels, slow_down_with_context_bits_and_length) {
  const auto rate = [](const std::string& of) { return *tokens_of(on_orin(of)).decode_per_s; };
  const std::string mlc = "model: qwen2.5_1.5b, runtime: mlc, ";
  EXPECT_GT(rate(mlc + "precision: int4, bench: {tg: 32}"), rate(mlc + "precision: fp16, bench: {tg: 32}"));
  EXPECT_GT(rate(qwen + "bench: {tg: 32}"), rate(qwen + "bench: {tg: 32, depth: 8192}"));
  const auto first = [](const std::string& of) { return *tokens_of(on_orin(qwen + of)).ttft_mean; };
  EXPECT_LT(first("generate: {prompt: 128, tokens: 8}"), first("generate: {prompt: 512, tokens: 8}"));
  EXPECT_LT(first("generate: {prompt: 512, tokens: 8, reuse: 80 %}"),
            first("generate: {prompt: 512, tokens: 8}"));
}

TEST(LanguageModels, of_several_users_give_more_tokens_and_each_fewer) {
  const auto of = [](int users) {
    return tokens_of(
        on_orin("model: qwen2.5_1.5b, precision: int4, runtime: mlc, generate: {prompt: 32, tokens: 64}, "
                "users: " +
                std::to_string(users)));
  };
  const TokenResult one = of(1), four = of(4);
  EXPECT_GT(*four.decode_per_s, 1.5 * *one.decode_per_s);
  EXPECT_GT(*four.itl_mean, *one.itl_mean);
}

TEST(LanguageModels, that_do_not_fit_say_what_would) {
  const Result result =
      run_text(on_orin("model: llama3.1_8b, precision: fp16, runtime: mlc, bench: {tg: 32}"));
  EXPECT_EQ(result.processes[0].status, "out_of_memory");
  EXPECT_THAT(result.processes[0].problem, HasSubstr("q4_k_m"));
}

TEST(LanguageModels, serve_sequences) {
  const Result result = run_text(on_orin(
      qwen + "generate: {prompt: 32, tokens: 16}, arrivals: {periodic: 1 /s}", "run: {duration: 20 s}\n"));
  EXPECT_NEAR(result.processes[0].throughput.mean.value(), 1, 0.1);
  const auto json = nlohmann::ordered_json::parse(to_json(result));
  EXPECT_EQ(json["processes"][0]["throughput"]["unit"], "sequences/s");
  EXPECT_EQ(json["processes"][0]["precision"], "q4_k_m");
  EXPECT_GT(json["processes"][0]["tokens"]["ttft_ms"]["p50"].get<double>(), 0);
  EXPECT_GT(json["processes"][0]["tokens"]["tokens_per_joule"].get<double>(), 0);
  EXPECT_GT(json["processes"][0]["tokens"]["kv_cache_mb"].get<double>(), 0);
}

}  // namespace
}  // namespace jostle::scenarios
