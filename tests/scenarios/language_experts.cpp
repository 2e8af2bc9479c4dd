// Language models of whose blocks the cores compute the experts (`cpu_moe`).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/llm/architecture.hpp"
#include "models/llm/offload.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/in_words.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::changed_profile;
using ::testing::HasSubstr;
using testing::run_on;
using testing::run_text;
using testing::scenario_of;

const std::string olmoe = "model: olmoe_1b_7b, precision: q4_k_m, runtime: llama.cpp, ";
constexpr int blocks = 16;

std::string on_orin(const std::string& entry, const std::string& rest = "") {
  return "device: jetson-agx-orin-64gb\npower_mode: MAXN\njetson_clocks: true\nprocesses:\n  - {" + entry +
         "}\n" + rest + "run: {duration: 2 s}\n";
}
std::string experts(int n) {
  return ", cpu_moe: " + std::to_string(n);
}
TokenResult tokens_of(const Result& result) {
  EXPECT_EQ(result.processes[0].status, "ok") << result.processes[0].problem;
  return result.processes[0].tokens.value_or(TokenResult{});
}
double decode_s(const std::string& keys, const std::string& rest = "") {
  return 1 / tokens_of(run_text(on_orin(olmoe + "bench: {tg: 16}" + keys, rest))).decode_per_s.value();
}
double prefill_s(int prompt, const std::string& keys) {
  const std::string bench = "bench: {pp: " + std::to_string(prompt) + "}";
  return 1 / tokens_of(run_text(on_orin(olmoe + bench + keys))).prefill_per_s.value();
}
std::string refusal(const std::string& yaml) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({yaml, "talk.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}
const llm::Architecture& shape() {
  return *llm::find_architecture("olmoe_1b_7b");
}
// Bytes of the experts of all blocks that one token reads.
double bytes_of_token() {
  return llm::expert_bytes(shape(), llm::WeightFormat::q4_k_m) * shape().experts.per_token /
         shape().experts.count * blocks;
}

// An H200 whose host computes as eight cores of an Orin would, with a card of `capacity`.
profiles::Profile card(const std::string& capacity) {
  std::vector<std::string> changes{"memory.capacity=" + capacity,
                                   "memory.contexts.cpu={process: 100 MB, gpu: 0 MB, shared: 0 MB}"};
  const std::string cpu = "runtimes.cpu.";
  changes.push_back(cpu + "from={grade: assumed, source: a test}");
  for (const std::string cost :
       {"per_layer=4 us", "per_batch=78 us", "variation=3 %", "working_set=256 KiB",
        "ops_per_clock={from: {grade: assumed, source: a test}, fp32: 16, fp16: 32, int8: 64}",
        "efficiency=18 %", "core_bandwidth=12 GB/s"})
    changes.push_back(cpu + cost);
  return changed_profile("nvidia-h200", changes);
}
std::string on_card(const std::string& keys) {
  return "device: nvidia-h200\nprocesses:\n  - {" + olmoe +
         "bench: {tg: 16}, cpus: [0, 1, 2, 3, 4, 5, 6, 7]" + keys + "}\nrun: {duration: 1 s}\n";
}

TEST(ExpertsOnTheCores, of_no_block_change_nothing) {
  const auto result = [](const std::string& keys) {
    return to_json(run_text(on_orin(olmoe + "generate: {prompt: 64, tokens: 16}" + keys)));
  };
  EXPECT_EQ(result(experts(0)), result(""));
}

TEST(ExpertsOnTheCores, of_more_blocks_take_longer_and_as_much_for_each) {
  double before = decode_s("");
  std::vector<double> steps;
  for (const int n : {4, 8, 12, 16}) {
    const double now = decode_s(experts(n));
    EXPECT_GT(now, before) << n;
    steps.push_back(now - before);
    before = now;
  }
  EXPECT_EQ(decode_s(", cpu_moe: all"), before);
  // The work of a call varies by 3 %.
  for (const double step : steps) EXPECT_NEAR(step, steps.back(), 0.04 * steps.back());
}

// The cores' memory alone differs, and is what bounds them: 480 MB a token.
TEST(ExpertsOnTheCores, take_the_time_of_their_bytes_if_nothing_else_moves_any) {
  const auto step_s = [](double gb_per_s, const std::string& keys) {
    const auto board = changed_profile("jetson-agx-orin-64gb",
                                       {"memory.cores.together=" + std::to_string(gb_per_s) + " GB/s"});
    return 1 / tokens_of(run_on(board, on_orin(olmoe + "bench: {tg: 16}" + keys))).decode_per_s.value();
  };
  const double expected = bytes_of_token() * (1 / 10e9 - 1 / 20e9);
  EXPECT_NEAR(bytes_of_token(), 0.488e9, 0.002e9);
  EXPECT_NEAR((step_s(10, ", cpu_moe: all") - step_s(20, ", cpu_moe: all")) / expected, 1, 0.01);
  EXPECT_NEAR((step_s(10, experts(4)) - step_s(20, experts(4))) / (expected / 4), 1, 0.01);
  EXPECT_EQ(step_s(10, ""), step_s(20, ""));
}

// Several sequences choose different experts.
TEST(ExpertsOnTheCores, are_read_the_more_of_them_the_more_sequences_there_are) {
  const auto step_s = [](int sequences) {
    const auto board = changed_profile("jetson-agx-orin-64gb", {"memory.cores.together=10 GB/s"});
    const std::string bench = "bench: {tg: 16, sequences: " + std::to_string(sequences) + "}, cpu_moe: all";
    return sequences / tokens_of(run_on(board, on_orin(olmoe + bench))).decode_per_s.value();
  };
  const double more =
      (llm::experts_read(shape().experts, 4) / shape().experts.per_token - 1) * bytes_of_token() / 10e9;
  EXPECT_NEAR((step_s(4) - step_s(1)) / more, 1, 0.05);
}

TEST(ExpertsOnTheCores, use_as_many_threads_as_they_are_given) {
  EXPECT_GT(decode_s(", cpu_moe: all, threads: 1"), 1.8 * decode_s(", cpu_moe: all, threads: 3"));
}

TEST(ExpertsOnTheCores, share_their_cores_with_others) {
  EXPECT_GT(decode_s(", cpu_moe: all", "  - {load: busy, threads: 12}\n"), 1.3 * decode_s(", cpu_moe: all"));
}

// The GPU is asked once more for each block, and the other process has a time slice of 2 ms each time, in a
// part of which the cores compute.
TEST(ExpertsOnTheCores, wait_for_the_GPU_of_others_in_every_block) {
  const std::string other =
      "  - {model: {kernels: 200, duration: 100 us, blocks: 100, threads: 128}, runtime: cuda-graph, "
      "sync: blocking}\n";
  const auto waits = [&](const std::string& keys) { return decode_s(keys, other) - decode_s(keys); };
  EXPECT_GT(waits(", cpu_moe: all"), blocks * 0.9e-3);
  EXPECT_GT(decode_s(", cpu_moe: all", other), blocks * 2e-3);
}

// Products of at least 32 tokens run on the GPU, with weights of all experts that are chosen copied to it.
TEST(ExpertsOnTheCores, compute_long_prompts_on_the_GPU_and_short_ones_on_the_cores) {
  const double copied = llm::expert_bytes(shape(), llm::WeightFormat::q4_k_m) * blocks;
  EXPECT_NEAR(512 * (prefill_s(512, ", cpu_moe: all") - prefill_s(512, "")) / (copied / 15e9), 1, 0.02);
  EXPECT_GT(prefill_s(31, ", cpu_moe: all"), 2 * prefill_s(31, ""));
  EXPECT_GT(prefill_s(31, ", cpu_moe: all"), prefill_s(31, experts(8)));
}

TEST(ExpertsOnTheCores, go_together_with_layers_on_the_cores) {
  const std::string half = ", gpu_layers: 9";
  EXPECT_GT(decode_s(half + ", cpu_moe: all"), decode_s(half));
  EXPECT_NEAR(decode_s(half + experts(7)), decode_s(half),
              1e-3 * decode_s(half));  // of blocks that it has not
  EXPECT_LT(decode_s(", cpu_moe: all"), decode_s(", gpu_layers: 0"));
}

TEST(ExpertsOnTheCores, hold_the_same_where_CPU_and_GPU_have_one_memory) {
  const auto held = [](const std::string& keys) {
    return tokens_of(run_text(on_orin(olmoe + "bench: {tg: 8}" + keys))).weights_mb;
  };
  EXPECT_EQ(held(", cpu_moe: all"), held(""));
}

TEST(ExpertsOnTheCores, leave_the_memory_of_a_card_by_their_bytes) {
  const double one = llm::expert_bytes(shape(), llm::WeightFormat::q4_k_m);
  const auto profile = card("141 GB");
  const auto held = [&](const std::string& keys) {
    return *tokens_of(run_on(profile, on_card(keys))).weights_mb * 1e6;
  };
  const double whole = held("");
  for (const int n : {1, 8, 16}) EXPECT_NEAR(whole - held(experts(n)), n * one, 1e-6 * whole) << n;
  EXPECT_NEAR(held(", gpu_layers: 8") - held(", gpu_layers: 8" + experts(10)), 2 * one, 1e-6 * whole);
}

TEST(ExpertsOnTheCores, let_a_model_fit_a_card_that_is_too_small_for_it) {
  const auto profile = card("4 GB");
  const auto of = [&](const std::string& keys) { return run_on(profile, on_card(keys)).processes[0]; };
  const ProcessResult whole = of("");
  EXPECT_NE(whole.status, "ok");
  const std::string word = "; cpu_moe: ";
  const std::size_t at = whole.problem.find(word);
  ASSERT_NE(at, std::string::npos) << whole.problem;
  const int least = std::stoi(whole.problem.substr(at + word.size()));
  EXPECT_EQ(of(experts(least)).status, "ok") << of(experts(least)).problem;
  EXPECT_NE(of(experts(least - 1)).status, "ok");
}

TEST(ExpertsOnTheCores, are_refused_where_they_cannot_be) {
  EXPECT_THAT(refusal(on_orin(olmoe + "bench: {tg: 8}, cpu_moe: 17")), HasSubstr("above the maximum, 16"));
  EXPECT_THAT(refusal(on_orin("model: qwen2.5_1.5b, precision: q4_k_m, bench: {tg: 8}, cpu_moe: all")),
              HasSubstr("qwen2.5_1.5b has no experts"));
  EXPECT_THAT(
      refusal(on_orin("model: olmoe_1b_7b, precision: int4, runtime: mlc, bench: {tg: 8}, cpu_moe: all")),
      HasSubstr("mlc computes all experts on the GPU"));
  EXPECT_THAT(refusal(on_orin(olmoe + "bench: {tg: 8}, cpu_moe: true")), HasSubstr("or all"));
  EXPECT_THAT(refusal(on_orin("model: resnet50, precision: fp16, cpu_moe: all")), HasSubstr("cpu_moe"));
  EXPECT_THAT(refusal("device: nvidia-h200\nprocesses:\n  - {" + olmoe + "bench: {tg: 8}, cpu_moe: all}\n"),
              HasSubstr("does not say how fast its cores compute"));
}

TEST(ExpertsOnTheCores, are_written_as_they_are_read_and_told_in_words) {
  const std::string once = to_json(scenario_of(on_orin(olmoe + "bench: {tg: 8}, cpu_moe: all, threads: 3")));
  EXPECT_THAT(once, HasSubstr("\"cpu_moe\":16"));
  EXPECT_EQ(to_json(scenario_of(once)), once);
  EXPECT_THAT(in_words(once).processes.front(), HasSubstr("3 threads, experts of 16 layers on the cores"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
