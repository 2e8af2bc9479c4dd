// Language models on the cores alone (`placement: cpu`), their threads at barriers, and quotas of containers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using process::Share;
using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

std::string on_pi(const std::string& entry) {
  return "device: raspberry-pi-5\nprocesses:\n  - {" + entry + "}\nrun: {duration: 60 s}\n";
}
std::string on_orin(const std::string& entry) {
  return "device: jetson-agx-orin-64gb\npower_mode: MAXN\njetson_clocks: true\nprocesses:\n  - {" + entry +
         "}\nrun: {duration: 10 s}\n";
}
ProcessResult only(const std::string& yaml) {
  const Result result = run_text(yaml);
  EXPECT_EQ(result.processes[0].status, "ok") << result.processes[0].problem;
  return result.processes[0];
}
double decode(const std::string& yaml) {
  return only(yaml).tokens.value().decode_per_s.value_or(0);
}
std::string refusal(const std::string& yaml) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({yaml, "talk.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}
const std::string qwen = "model: qwen2.5_3b, precision: q8_0, placement: cpu, threads: 4, ";

// 2.77 billion weights in the blocks and 0.31 in the last layer, of 8.5 bits; 6.3 operations a clock.
TEST(LanguageOnCores, decodes_at_the_rate_of_the_memory_and_reads_prompts_at_that_of_the_dot_products) {
  EXPECT_NEAR(decode(on_pi(qwen + "bench: {tg: 32}")) * 3.085e9 * 8.5 / 8 / (12.3e9 / 1.25), 1, 0.05);
  const double prefill = only(on_pi(qwen + "bench: {pp: 512}")).tokens.value().prefill_per_s.value();
  EXPECT_NEAR(prefill * 2 * 2.77e9 / (4 * 2.4e9 * 6.3), 1, 0.08);
}

TEST(LanguageOnCores, decodes_fastest_with_two_threads_on_a_Pi_5_and_reads_prompts_with_four) {
  const auto tokens = [](int threads, const char* test) {
    return only(on_pi(fmt::format(
                    "model: qwen2.5_0.5b, precision: q4_0, placement: cpu, threads: {}, bench: {}", threads,
                    test)))
        .tokens.value();
  };
  const auto decoded = [&](int threads) { return tokens(threads, "{tg: 64}").decode_per_s.value(); };
  const double two = decoded(2);
  for (const int threads : {1, 3, 4}) EXPECT_LT(decoded(threads), two) << threads;
  EXPECT_GT(tokens(4, "{pp: 256}").prefill_per_s.value(), 1.7 * tokens(2, "{pp: 256}").prefill_per_s.value());
}

TEST(LanguageOnCores, runs_where_a_board_has_no_GPU_as_with_no_layer_on_it) {
  const std::string entry = "model: llama3.2_3b, precision: q4_k_m, runtime: llama.cpp, bench: {tg: 32}, ";
  EXPECT_EQ(decode(on_pi(entry + "gpu_layers: 0")), decode(on_pi(entry + "placement: cpu")));
  EXPECT_NEAR(decode(on_pi(entry + "placement: cpu")), 4.88, 0.4);  // geerlingguy/ai-benchmarks, issue 7
}

// On a board with a GPU, its build for CUDA computes long prompts there whoever has the layers.
TEST(LanguageOnCores, reads_prompts_on_the_cores_where_a_GPU_would_be_faster) {
  const std::string entry = "model: qwen2.5_0.5b, precision: q8_0, runtime: llama.cpp, bench: {pp: 256}, ";
  const auto prefill = [&](const char* where) {
    return only(on_orin(entry + where)).tokens.value().prefill_per_s.value();
  };
  EXPECT_LT(5 * prefill("placement: cpu"), prefill("gpu_layers: 0"));
}

TEST(LanguageOnCores, fit_into_the_memory_with_the_pages_that_they_read) {
  EXPECT_EQ(only(on_pi("model: qwen2.5_7b, precision: q8_0, placement: cpu, bench: {tg: 8}")).status, "ok");
}

TEST(LanguageOnCores, serve_several_users_who_share_the_weights_of_a_step) {
  const auto per_s = [](int users) {
    return only(on_pi(
                    fmt::format("model: qwen2.5_0.5b, precision: q8_0, placement: cpu, threads: 4, generate: "
                                "{{prompt: 16, tokens: 32}}, users: {}",
                                users)))
        .tokens.value()
        .decode_per_s.value();
  };
  EXPECT_GT(per_s(2), 1.1 * per_s(1));
  EXPECT_LT(per_s(2), 2 * per_s(1));
}

TEST(LanguageOnCores, are_refused_with_a_way_out) {
  EXPECT_THAT(refusal(on_pi("model: llama3.2_3b, precision: q4_k_m, bench: {tg: 8}")),
              HasSubstr("placement: cpu"));
  EXPECT_THAT(refusal(on_pi("model: llama3.2_3b, precision: q4_k_m, runtime: cpu, bench: {tg: 8}")),
              HasSubstr("llama.cpp or ollama"));
  EXPECT_THAT(
      refusal(on_pi("model: llama3.2_3b, precision: q4_k_m, runtime: vllm, placement: cpu, bench: {tg: 8}")),
      HasSubstr("llama.cpp or ollama"));
  EXPECT_THAT(refusal(on_pi(qwen + "gpu_layers: 4, bench: {tg: 8}")),
              HasSubstr("the cores compute all layers"));
  EXPECT_THAT(refusal(on_pi(qwen + "draft: {model: qwen2.5_0.5b, tokens: 2, accept: 50 %}, bench: {tg: 8}")),
              HasSubstr("drafts no tokens"));
  EXPECT_THAT(
      refusal(on_pi("model: qwen2.5_vl_3b, precision: q8_0, placement: cpu, generate: {prompt: 8, tokens: "
                    "8, images: 1}")),
      HasSubstr("no images are read"));
}

TEST(LanguageOnCores, is_written_as_it_is_read) {
  const std::string once = to_json(scenario_of(on_pi(qwen + "bench: {tg: 8}")));
  EXPECT_EQ(to_json(scenario_of(once)), once);
}

TEST(DefaultThreads, are_those_that_the_library_would_open) {
  const auto threads = [](const std::string& entry) {
    return scenario_of(on_orin(entry + ", placement: cpu, threads: default, cpus: [0, 1, 2, 3]"))
        .processes[0]
        .host.threads.value();
  };
  EXPECT_EQ(threads("model: qwen3_0.6b, precision: q4_k_m, runtime: llama.cpp, bench: {tg: 8}"), 12);
  EXPECT_EQ(threads("model: resnet50, precision: fp32, runtime: ncnn"), 12);
  EXPECT_EQ(threads("model: resnet50, precision: fp32, runtime: cpu"), 4);
  EXPECT_EQ(threads("model: resnet50, precision: fp32, runtime: tflite"), 1);
  EXPECT_THAT(refusal(on_orin("model: resnet50, precision: fp32, placement: cpu, threads: defalt")),
              HasSubstr("a number of threads, or default"));
}

// Threads and quotas.

std::string qwen_with(int threads, const std::string& rest) {
  return on_orin(
      fmt::format("model: qwen3_0.6b, precision: q4_k_m, runtime: ollama, placement: cpu, threads: {}, "
                  "bench: {{tg: 64}}{}",
                  threads, rest));
}
double share(const ProcessResult& result, Share of) {
  return (*result.time_share)[index_of(of)];
}
const std::string two_cpus = ", container: {name: c, cpus: 2}";

// All threads spend the quota while some of them spin, and the memory serves eight hardly faster than two.
TEST(SpinningThreads, are_slower_the_more_of_them_share_a_quota) {
  double before = decode(qwen_with(2, two_cpus)), two = before;
  for (const int threads : {3, 4, 6, 8, 12}) {
    const ProcessResult result = only(qwen_with(threads, two_cpus));
    const double now = result.tokens->decode_per_s.value();
    EXPECT_LT(now, before) << threads;
    EXPECT_GT(share(result, Share::barrier_spin), 0.02) << threads;
    before = now;
    EXPECT_GT(two, threads == 8 ? 1.8 * now : now);
  }
  EXPECT_GT(two, 3 * before);
}

TEST(SpinningThreads, do_not_notice_a_quota_that_has_a_CPU_for_each) {
  const ProcessResult with = only(qwen_with(2, ", container: {name: c, cpus: 4}")),
                      without = only(qwen_with(2, ""));
  EXPECT_NEAR(with.tokens->decode_per_s.value() / without.tokens->decode_per_s.value(), 1, 1e-6);
  EXPECT_EQ(share(with, Share::barrier_spin), 0);
}

TEST(SpinningThreads, collapse_where_they_outnumber_their_cores) {
  const std::string four = ", cpus: [0, 1, 2, 3]";
  const ProcessResult eight = only(qwen_with(8, four));
  EXPECT_LT(10 * eight.tokens->decode_per_s.value_or(0), decode(qwen_with(4, four)));
  EXPECT_GT(share(eight, Share::barrier_spin), 0.3);
  EXPECT_EQ(share(only(qwen_with(4, four)), Share::barrier_spin), 0);
}

TEST(SleepingThreads, lose_little_to_a_quota_below_their_number) {
  const auto rate = [](int threads) {
    return only(on_orin(
                    fmt::format("model: resnet50, precision: fp32, runtime: tflite, placement: cpu, threads: "
                                "{}, container: {{name: c, cpus: 2}}",
                                threads)))
        .throughput.mean.value();
  };
  EXPECT_GT(rate(8), 0.9 * rate(2));
  EXPECT_LT(rate(8), 1.02 * rate(2));
}

TEST(SpinningThreads, are_told_apart_from_those_that_compute_and_wait) {
  const ProcessResult result = only(qwen_with(8, two_cpus));
  double sum = 0;
  for (const double one : *result.time_share) sum += one;
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_GT(share(result, Share::waiting_for_core), 0.5);  // throttled for most of each period
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
