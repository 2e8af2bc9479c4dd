// What servers and benchmarks of language models print, in the layouts of their documentation and of
// published outputs. Figures are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibration/readers_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

constexpr const char* llama_markdown =
    "ggml_cuda_init: found 1 CUDA devices:\n"
    "  Device 0: Orin, compute capability 8.7, VMM: yes\n"
    "| model                          |       size |     params | backend    | ngl |          test |         "
    "         t/s |\n"
    "| ------------------------------ | ---------: | ---------: | ---------- | --: | ------------: | "
    "-------------------: |\n"
    "| qwen2 1.5B Q4_K - Medium       | 940.37 MiB |     1.54 B | CUDA       |  99 |         pp512 |       "
    "1010.10 ± 2.10 |\n"
    "| qwen2 1.5B Q8_0                | 940.37 MiB |     1.54 B | CUDA       |  99 | tg128 @ d2048 |         "
    "40.20 ± 0.05 |\n"
    "\n"
    "build: 0123abcd (6000)\n";

TEST(LlamaBench, ATableGivesARunATestWithItsWeightsAndBuild) {
  const Imported found = import_text(llama_markdown);
  ASSERT_EQ(found.problems, "");
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.row("prefill").value, 1010.1);
  EXPECT_EQ(found.row("prefill").sd, 2.1);
  EXPECT_EQ(found.row("decode", "", 1).value, 40.2);
  EXPECT_EQ(found.runs[0].setting.model, "qwen2_1.5b");
  EXPECT_EQ(found.runs[0].setting.precision, "q4_k_m");
  EXPECT_EQ(found.runs[1].setting.precision, "q8_0");
  EXPECT_EQ(found.runs[0].setting.gpu, "Orin");
  EXPECT_EQ(found.runs[0].setting.tool, "llama-bench 0123abcd");
  EXPECT_THAT(found.notes(), HasSubstr("tg128 @ d2048, layers on the GPU 99, CUDA"));
}

TEST(LlamaBench, ItsJsonGivesTheSame) {
  const std::string test =
      R"({"build_commit": "abc", "gpu_info": "Orin", "backends": "CUDA", "model_type": "qwen2 1.5B Q4_K - Medium",
          "n_threads": 6, "n_gpu_layers": 99, "n_prompt": 0, "n_gen": 128, "n_depth": 0, "avg_ts": 40.2,
          "stddev_ts": 0.05, "samples_ts": [40.1, 40.3]})";
  for (const std::string& text : {"[" + test + "]", test}) {
    const Imported found = import_text(text);
    ASSERT_EQ(found.problems, "");
    EXPECT_EQ(found.value("decode"), 40.2);
    EXPECT_EQ(found.runs.front().setting.precision, "q4_k_m");
    EXPECT_THAT(found.notes(), HasSubstr("tg128, threads 6"));
  }
}

TEST(LlamaBench, ARowThatEndsEarlyIsAProblemWithItsLine) {
  const std::string whole = llama_markdown;
  const Imported found = import_text(whole.substr(0, whole.find("1010.10")));
  EXPECT_THAT(found.problems, HasSubstr("my.log:5"));
  EXPECT_TRUE(found.runs.empty());
  EXPECT_THAT(import_text(R"([{"avg_ts": 0, "n_gen": 1}])").problems, HasSubstr("no rate"));
}

TEST(Serving, VllmsJsonGivesRatesAndTimesAndItsLoad) {
  const Imported found = import_text(
      R"({"endpoint_type": "vllm", "model_id": "Qwen/Qwen3-8B", "max_concurrency": 8, "completed": 64,
          "request_throughput": 1.0667, "output_throughput": 136.53, "mean_ttft_ms": 900.0, "median_ttft_ms": 880.0,
          "p99_ttft_ms": 1500.0, "mean_tpot_ms": 52.0, "mean_itl_ms": 52.0, "itls": [[0.1, 0.2], [0.3]]})");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("decode"), 136.53);
  EXPECT_EQ(found.value("requests"), 1.0667);
  EXPECT_EQ(found.value("ttft"), 900);
  EXPECT_EQ(found.row("ttft").median, 880);
  EXPECT_EQ(found.row("ttft").p99, 1500);
  EXPECT_EQ(found.value("itl"), 52);
  EXPECT_EQ(found.runs.front().setting.model, "qwen3_8b");
  EXPECT_EQ(found.runs.front().setting.runtime, "vllm");
  EXPECT_THAT(found.notes(), HasSubstr("at most at once: 8"));
}

TEST(Serving, SglangsLinesAreARunEach) {
  const std::string line =
      R"({"backend": "sglang", "request_rate": 4.0, "input_throughput": 300, "output_throughput": 150, "mean_ttft_ms": 90, "mean_e2e_latency_ms": 2000})";
  const Imported found = import_text(line + "\n" + line + "\n");
  ASSERT_EQ(found.problems, "");
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.value("prefill"), 300);
  EXPECT_EQ(found.value("latency"), 2000);
  EXPECT_THAT(import_text(line + "\n{\"output_throughput\": \n").problems, HasSubstr("my.log:2"));
}

TEST(Serving, WhatBenchServingPrintsGivesTheSame) {
  const Imported found = import_text(
      "============ Serving Benchmark Result ============\n"
      "Successful requests:                     32        \n"
      "Request throughput (req/s):              0.21      \n"
      "Output token throughput (tok/s):         434.40    \n"
      "---------------Time to First Token----------------\n"
      "Mean TTFT (ms):                          7279.56   \n"
      "Median TTFT (ms):                        7099.88   \n"
      "P99 TTFT (ms):                           10999.46  \n"
      "Mean E2E Latency (ms):                   2098.07   \n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("decode"), 434.4);
  EXPECT_EQ(found.value("ttft"), 7279.56);
  EXPECT_EQ(found.row("ttft").p99, 10999.46);
  EXPECT_EQ(found.value("latency"), 2098.07);
}

TEST(GenaiPerf, JsonCsvAndTableAgree) {
  const Imported json = import_text(
      R"({"request_throughput": {"unit": "requests/sec", "avg": 1.5}, "request_latency": {"unit": "ms", "avg": 650.5, "p99": 700},
          "time_to_first_token": {"unit": "ms", "avg": 13.7, "p50": 13.5, "p90": 15, "p99": 17.2, "std": 1.25},
          "output_token_throughput": {"unit": "tokens/sec", "avg": 1456.25}, "input_config": {"formatted_model_name": "Qwen/Qwen3-8B"}})");
  const Imported csv = import_text(
      "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\n"
      "Time To First Token (ms),13.70,11.07,21.50,17.20,16.00,15.00,14.00,13.50,12.00\n"
      "Request Latency (ms),650.50,600.00,720.00,700.00,690.00,680.00,660.00,650.00,640.00\n"
      "\n"
      "Metric,Value\n"
      "Output Token Throughput (tokens/sec),\"1,456.25\"\n"
      "Request Throughput (per sec),1.50\n");
  const Imported table = import_text(
      "NVIDIA GenAI-Perf | LLM Metrics\n"
      "┃                Statistic ┃      avg ┃    min ┃    max ┃    p99 ┃    p90 ┃    p75 ┃\n"
      "│ Time to first token (ms) │    13.70 │  11.07 │  21.50 │  17.20 │  15.00 │  14.00 │\n"
      "│     Request latency (ms) │   650.50 │ 600.00 │ 720.00 │ 700.00 │ 680.00 │ 660.00 │\n"
      "│ Output token throughput (tokens/sec) │ 1,456.25 │ N/A │ N/A │ N/A │ N/A │ N/A │\n"
      "│ Request throughput (per sec) │ 1.50 │ N/A │ N/A │ N/A │ N/A │ N/A │\n");
  for (const Imported* const found : {&json, &csv, &table}) {
    ASSERT_EQ(found->problems, "");
    EXPECT_EQ(found->value("ttft"), 13.7);
    EXPECT_EQ(found->row("ttft").p90, 15);
    EXPECT_EQ(found->row("ttft").p99, 17.2);
    EXPECT_EQ(found->value("latency"), 650.5);
    EXPECT_EQ(found->value("decode"), 1456.25);
    EXPECT_EQ(found->value("requests"), 1.5);
  }
  EXPECT_EQ(json.runs.front().setting.model, "qwen3_8b");
}

TEST(Ollama, TimingsOfSeveralAnswersAreARunEach) {
  const std::string answer =
      "The sky is blue.\n\ntotal duration:       1m4.5s\nload duration:        12.5ms\nprompt eval count:    "
      "26 token(s)\n"
      "prompt eval duration: 130.25ms\nprompt eval rate:     199.62 tokens/s\neval count:           298 "
      "token(s)\n"
      "eval duration:        4.354s\neval rate:            68.44 tokens/s\n";
  const Imported found = import_text(answer + answer);
  ASSERT_EQ(found.problems, "");
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.value("decode"), 68.44);
  EXPECT_EQ(found.value("prefill"), 199.62);
  EXPECT_EQ(found.value("latency"), 64'500);
  EXPECT_EQ(found.value("ttft"), 142.75);
  EXPECT_EQ(found.runs.front().setting.runtime, "ollama");
}

TEST(PerfAnalyzerText, RequestsBecomeImagesByTheBatch) {
  const std::string text =
      "*** Measurement Settings ***\n  Batch size: 4\n  Service Kind: TRITON\n\nRequest concurrency: 1\n  "
      "Client:\n"
      "    Request count: 1800\n    Throughput: 100 infer/sec\n    Avg latency: 39800 usec (standard "
      "deviation 411 usec)\n"
      "    p50 latency: 39700 usec\n    p90 latency: 40100 usec\n    p99 latency: 41000 usec\n  Server:\n"
      "    Inference count: 7200\n    Avg request latency: 39100 usec (overhead 100 usec)\n\n"
      "Inferences/Second vs. Client Average Batch Latency\nConcurrency: 1, throughput: 100 infer/sec, "
      "latency 39800 usec\n";
  const Imported found = import_text(text);
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("throughput", "concurrency 1"), 400);
  EXPECT_EQ(found.value("latency", "concurrency 1"), 39.8);
  EXPECT_EQ(found.row("latency", "concurrency 1").p99, 41);
  EXPECT_EQ(found.runs.front().setting.batch, 4);
  EXPECT_THAT(import_text(text.substr(0, text.find("    Throughput"))).problems, HasSubstr("truncated"));
}

TEST(NsysJson, AReportsObjectsAreTheRowsOfItsTable) {
  const Imported found = import_text(
      R"json([{"Time (%)": 60.5, "Total Time (ns)": 3000000, "Instances": 30, "Avg (ns)": 100000.0, "Med (ns)": 99000.0,
           "Min (ns)": 1, "Max (ns)": 2, "StdDev (ns)": 500.0, "Name": "gemm"}])json");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("kernel_time", "gemm"), 100);
  EXPECT_EQ(found.row("kernel_time", "gemm").median, 99);
  EXPECT_EQ(found.row("kernel_time", "gemm").count, 30);
}

TEST(Colours, AreNoPartOfALine) {
  const Imported found = import_text(
      "\x1b[32mRAM\x1b[0m 2048/7620MB (lfb 9x4MB) CPU [10%@1000,off] GR3D_FREQ \x1b[1;31m50%\x1b[0m@[1016] "
      "tj@51C VDD_IN "
      "5000mW/9999mW\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("power"), 5);
  EXPECT_EQ(found.value("ram"), 2048);
  EXPECT_EQ(without_colours("a\x1b[0;33mb\x1b"), "ab\x1b");
}

TEST(UnknownLog, IsAnsweredWithTheToolsThatItResembles) {
  EXPECT_THAT(import_text("llama_perf_context_print: eval time = 1 ms, 12 tokens/s\n").problems,
              HasSubstr("it resembles llama.cpp's llama-cli: import llama-bench"));
  EXPECT_THAT(import_text("Inference timings in us: Init: 1\n").problems, HasSubstr("jostle record tflite"));
  EXPECT_THAT(import_text("VDD_IN 5000mW and nothing else\n").problems, HasSubstr("tegrastats"));
  EXPECT_THAT(import_text("nothing of that kind\n").problems, HasSubstr("jostle import --help"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
