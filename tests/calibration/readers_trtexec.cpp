// trtexec's text log and the JSON it exports.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibration/readers_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

// A log of TensorRT 10; `options` come before the summary.
std::string log(const std::string& flags, const std::string& options,
                const std::string& binding = "4x3x32x32") {
  return "&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=/tmp/tiny.onnx " + flags +
         "\n[01/02/2026-03:04:05] [I] === Model Options ===\n"
         "[01/02/2026-03:04:05] [I] Model: /tmp/tiny.onnx\n" +
         options +
         "[01/02/2026-03:04:05] [I] Batch: Explicit\n"
         "[01/02/2026-03:04:05] [I] Inference Streams: 1\n"
         "[01/02/2026-03:04:05] [I] Spin-wait: Enabled\n"
         "[01/02/2026-03:04:05] [I] CUDA Graph: Enabled\n"
         "[01/02/2026-03:04:05] [I] Selected Device: Orin\n"
         "[01/02/2026-03:04:05] [I] Compute Capability: 8.7\n"
         "[01/02/2026-03:04:05] [I] SMs: 8\n"
         "[01/02/2026-03:04:05] [I] Device Global Memory: 7619 MiB\n"
         "[01/02/2026-03:04:05] [I] TensorRT version: 10.3.0\n"
         "[01/02/2026-03:04:06] [I] Input binding for x with dimensions " +
         binding +
         " is created.\n"
         "[01/02/2026-03:04:09] [I] Timing trace has 1500 queries over 3 s\n"
         "[01/02/2026-03:04:09] [I] Average on 10 runs - GPU latency: 9 ms - Host latency: 9 ms (enqueue 9 "
         "ms)\n"
         "[01/02/2026-03:04:09] [I] === Performance summary ===\n"
         "[01/02/2026-03:04:09] [I] Throughput: 500 qps\n"
         "[01/02/2026-03:04:09] [I] Latency: min = 1.9 ms, max = 2.5 ms, mean = 2.1 ms, median = 2 ms, "
         "percentile(90%) = 2.2 ms, percentile(95%) = 2.25 ms, percentile(99%) = 2.3 ms\n"
         "[01/02/2026-03:04:09] [I] Enqueue Time: min = 0.2 ms, max = 0.4 ms, mean = 0.25 ms, median = 0.24 "
         "ms, "
         "percentile(90%) = 0.3 ms, percentile(95%) = 0.3 ms, percentile(99%) = 0.35 ms\n"
         "[01/02/2026-03:04:09] [I] GPU Compute Time: min = 1.8 ms, max = 2.4 ms, mean = 1.9 ms, median = "
         "1.9 ms, "
         "percentile(90%) = 2 ms, percentile(95%) = 2 ms, percentile(99%) = 2.1 ms\n"
         "[01/02/2026-03:04:09] [I] Total GPU Compute Time: 2.85 s\n"
         "&&&& PASSED TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=/tmp/tiny.onnx " +
         flags + "\n";
}
std::string precision(const std::string& text) {
  return "[01/02/2026-03:04:05] [I] Precision: " + text + "\n";
}

TEST(TrtexecLog, TheSummaryAndTheSettingsAreRead) {
  const Imported found = import_text(log("--fp16 --useCudaGraph", precision("FP32+FP16")));
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.runs.size(), 1U);
  const Setting& setting = found.runs[0].setting;
  EXPECT_EQ(setting.model, "tiny");
  EXPECT_EQ(setting.precision, "fp16");
  EXPECT_EQ(setting.batch, 4);
  EXPECT_EQ(setting.runtime, "tensorrt-graph");
  EXPECT_EQ(setting.sync, "spin");
  EXPECT_EQ(setting.compute_capability, "8.7");
  EXPECT_EQ(setting.sms, 8);
  EXPECT_EQ(setting.tool, "trtexec 10.3.0");
  // Queries of an explicit batch are of four images each.
  EXPECT_EQ(found.value("throughput"), 2000);
  EXPECT_EQ(found.row("throughput").unit, "images/s");
  EXPECT_EQ(found.row("throughput").count, 1500);
  EXPECT_EQ(found.value("gpu_time"), 1.9);
  EXPECT_EQ(found.value("latency"), 2.1);
  EXPECT_EQ(found.row("latency").p99, 2.3);
  EXPECT_EQ(found.value("enqueue"), 0.25);
}

TEST(TrtexecLog, TheProfilersRunGivesNoLaunchCost) {
  for (const char* const flags : {"--dumpProfile", "--exportProfile=p.json"}) {
    const Imported found = import_text(log(flags, precision("FP32")));
    ASSERT_EQ(found.problems, "");
    EXPECT_FALSE(found.has("enqueue")) << flags;
    EXPECT_EQ(found.runs[0].setting.observer, "trtexec");
    EXPECT_THAT(found.notes(), HasSubstr("enqueue is left out: the layer profiler was on"));
  }
  // A separate run was timed without it.
  const Imported separate = import_text(log("--dumpProfile --separateProfileRun", precision("FP32")));
  EXPECT_EQ(separate.value("enqueue"), 0.25);
  EXPECT_EQ(separate.runs[0].setting.observer, "");
  // The options tell as well as the command line does.
  EXPECT_FALSE(import_text(log("", "[01/02/2026-03:04:05] [I] Profile: Enabled\n")).has("enqueue"));
}

TEST(TrtexecLog, Fp32IsTf32WhereTensorRtMayRound) {
  EXPECT_EQ(import_text(log("", precision("FP32"))).runs.at(0).setting.precision, "tf32");
  EXPECT_EQ(import_text(log("--noTF32", precision("FP32"))).runs.at(0).setting.precision, "fp32");
  EXPECT_EQ(import_text(log("", precision("FP32+FP16+INT8"))).runs.at(0).setting.precision, "int8");
  const Imported loaded =
      import_text(log("", precision("FP32") + "[01/02/2026-03:04:05] [I] Load engine: e.plan\n"));
  EXPECT_EQ(loaded.runs.at(0).setting.precision, "");
  EXPECT_THAT(loaded.notes(), HasSubstr("does not contain the precision"));
}

TEST(TrtexecLog, InputsOfDifferentFirstDimensionsLeaveTheBatchOpen) {
  const std::string other = "[01/02/2026-03:04:05] [I] Input binding for y with dimensions 7x2 is created.\n";
  const Imported found = import_text(log("", other));
  EXPECT_EQ(found.runs.at(0).setting.batch, std::nullopt);
  EXPECT_EQ(found.row("throughput").unit, "queries/s");
  EXPECT_EQ(found.value("throughput"), 500);
}

// Blocks of lines, a batch that is counted into the throughput, no mean of enqueueing.
TEST(TrtexecLog, TensorRt7sLayoutIsRead) {
  const Imported found = import_text(
      "&&&& RUNNING TensorRT.trtexec # trtexec --deploy=tiny.prototxt --batch=8\n"
      "[01/02/2020-03:04:05] [I] Batch: 8\n"
      "[01/02/2020-03:04:05] [I] Precision: FP32\n"
      "[01/02/2020-03:04:09] [I] Timing trace has 800 queries over 2 s\n"
      "[01/02/2020-03:04:09] [I] Host Latency\n"
      "[01/02/2020-03:04:09] [I] min: 19 ms (end to end 20 ms)\n"
      "[01/02/2020-03:04:09] [I] max: 24 ms (end to end 25 ms)\n"
      "[01/02/2020-03:04:09] [I] mean: 21 ms (end to end 22 ms)\n"
      "[01/02/2020-03:04:09] [I] median: 20.5 ms (end to end 21 ms)\n"
      "[01/02/2020-03:04:09] [I] percentile: 23 ms at 99% (end to end 24 ms at 99%)\n"
      "[01/02/2020-03:04:09] [I] throughput: 400 qps\n"
      "[01/02/2020-03:04:09] [I] walltime: 2 s\n"
      "[01/02/2020-03:04:09] [I] Enqueue Time\n"
      "[01/02/2020-03:04:09] [I] min: 1 ms\n"
      "[01/02/2020-03:04:09] [I] max: 3 ms\n"
      "[01/02/2020-03:04:09] [I] median: 1.5 ms\n"
      "[01/02/2020-03:04:09] [I] GPU Compute\n"
      "[01/02/2020-03:04:09] [I] min: 18 ms\n"
      "[01/02/2020-03:04:09] [I] max: 22 ms\n"
      "[01/02/2020-03:04:09] [I] mean: 19.5 ms\n"
      "[01/02/2020-03:04:09] [I] median: 19.4 ms\n"
      "[01/02/2020-03:04:09] [I] percentile: 21 ms at 99%\n"
      "[01/02/2020-03:04:09] [I] total compute time: 1.95 s\n"
      "&&&& PASSED TensorRT.trtexec # trtexec --deploy=tiny.prototxt --batch=8\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("throughput"), 400);
  EXPECT_EQ(found.runs[0].setting.batch, 8);
  EXPECT_EQ(found.row("throughput").count, 100);
  EXPECT_EQ(found.value("latency"), 21);
  EXPECT_EQ(found.row("latency").p99, 23);
  EXPECT_EQ(found.value("enqueue"), 1.5);
  EXPECT_THAT(found.notes(), HasSubstr("enqueue: the log has no mean"));
  EXPECT_EQ(found.value("gpu_time"), 19.5);
  EXPECT_EQ(found.runs[0].setting.precision, "fp32");
}

TEST(TrtexecLog, SeveralRunsInOneLogAreSeveralImports) {
  const Imported found =
      import_text(log("", precision("FP32+FP16")) + log("", precision("FP32+INT8"), "1x3x32x32"));
  ASSERT_EQ(found.problems, "");
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.row("throughput", "", 1).value, 500);
  EXPECT_EQ(found.runs[1].setting.precision, "int8");
}

TEST(TrtexecLog, ACutLogIsRefusedWhereverItIsCut) {
  const std::string whole = log("", precision("FP32"));
  const std::size_t enough = whole.find("Total GPU Compute Time: ") + 24;
  for (std::size_t size = whole.find("RUNNING") + 40; size < enough; size += 7) {
    const Imported found = import_text(whole.substr(0, size), "trtexec");
    EXPECT_TRUE(found.runs.empty()) << whole.substr(0, size);
    EXPECT_THAT(found.problems, HasSubstr("my.log:"));
  }
  EXPECT_THAT(import_text(whole.substr(0, whole.find("Throughput"))).problems,
              HasSubstr("the log ends before the performance summary"));
}

TEST(TrtexecLog, RunsThatTimedNothingSayWhy) {
  EXPECT_THAT(import_text("&&&& RUNNING TensorRT.trtexec [TensorRT v8001] # trtexec --onnx=a.onnx\n"
                          "[01/02/2026-03:04:05] [E] Could not open file a.onnx\n"
                          "&&&& FAILED TensorRT.trtexec [TensorRT v8001] # trtexec --onnx=a.onnx\n")
                  .problems,
              HasSubstr("my.log:3: trtexec reports that the run failed (Could not open file a.onnx)"));
  EXPECT_THAT(
      import_text("&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=a.onnx --skipInference\n"
                  "&&&& PASSED TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=a.onnx --skipInference\n")
          .problems,
      HasSubstr("built an engine without timing it"));
}

TEST(TrtexecLog, AbsurdFiguresAreRefused) {
  std::string text = log("", precision("FP32"));
  text.replace(text.find("mean = 1.9 ms"), 13, "mean = 1e300 ms");
  EXPECT_THAT(import_text(text).problems, HasSubstr("is not a number as printed by trtexec"));
}

TEST(TrtexecTimes, MeansAndQuantilesAreOfTheQueries) {
  std::string text = "[\n";
  for (int i = 0; i < 101; ++i) {
    const double start = 10 * i, compute = 4 + 0.01 * i;
    text += fmt::format(
        "{}{{ \"startEnqMs\" : {}, \"endEnqMs\" : {}, \"startComputeMs\" : {}, \"endComputeMs\" : {}, "
        "\"h2dMs\" : 0.5, \"computeMs\" : {}, \"d2hMs\" : 0.25, \"latencyMs\" : {} }}\n",
        i == 0 ? "" : ", ", start, start + 1, start, start + compute, compute, compute + 0.75);
  }
  const Imported found = import_text(text + "]\n");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.runs[0].format, "trtexec-times");
  EXPECT_NEAR(found.value("gpu_time"), 4.5, 1e-9);
  EXPECT_EQ(found.row("gpu_time").count, 101);
  EXPECT_NEAR(found.row("gpu_time").sd.value(), 0.293, 1e-3);
  EXPECT_NEAR(found.row("gpu_time").median.value(), 4.5, 1e-9);
  EXPECT_NEAR(found.row("gpu_time").p90.value(), 4.9, 1e-9);
  EXPECT_NEAR(found.value("enqueue"), 1, 1e-9);
  EXPECT_NEAR(found.value("throughput"), 100 / (10 * 100 + 1.0) * 1000, 1e-6);
}

TEST(TrtexecTimes, EnqueueingFinerThanTheDigitsIsNotReported) {
  const Imported found = import_text(
      R"([{"startEnqMs": 4999.96, "endEnqMs": 4999.96, "endComputeMs": 5000.73, "computeMs": 0.5, "latencyMs": 0.5},
          {"startEnqMs": 5000.46, "endEnqMs": 5000.47, "endComputeMs": 5001.23, "computeMs": 0.5, "latencyMs": 0.5}])");
  ASSERT_EQ(found.problems, "");
  EXPECT_FALSE(found.has("enqueue"));
  EXPECT_THAT(found.notes(), HasSubstr("printed in steps of 0.01 ms"));
}

TEST(TrtexecProfile, LayersAreRowsOfAProfiledRun) {
  const Imported found = import_text(R"([
  { "count" : 100 }
, { "name" : "conv", "timeMs" : 200, "averageMs" : 2, "medianMs" : 1.9, "percentage" : 80 }
, { "name" : "fc", "timeMs" : 50, "averageMs" : 0.5, "percentage" : 20 }
])");
  ASSERT_EQ(found.problems, "");
  EXPECT_EQ(found.value("layer_time", "conv"), 2);
  EXPECT_EQ(found.row("layer_time", "conv").median, 1.9);
  EXPECT_EQ(found.row("layer_time", "fc").count, 100);
  EXPECT_EQ(found.value("layers_time"), 2.5);
  EXPECT_EQ(found.runs[0].setting.observer, "trtexec");
  EXPECT_FALSE(found.has("enqueue"));
}

TEST(TrtexecLayers, WithoutTimesAreRefusedWithWhatToImport) {
  EXPECT_THAT(import_text(R"({"Layers": ["conv", "fc"], "Bindings": []})").problems,
              HasSubstr("--exportProfile"));
}

TEST(TrtexecJson, CutAbsurdAndNestedFilesAreRefused) {
  const auto refused = [](const std::string& text, const char* format) {
    const Imported found = import_text(text, format);
    EXPECT_TRUE(found.runs.empty());
    return found.problems;
  };
  EXPECT_THAT(refused("[{\"computeMs\": 1, \"latencyMs\": 2},\n{\"computeMs\": 1", "trtexec-times"),
              HasSubstr("my.log:2: the JSON ends inside a value"));
  EXPECT_THAT(refused("[{\"computeMs\": 1e99, \"latencyMs\": 2}]", "trtexec-times"), HasSubstr("impossible"));
  EXPECT_THAT(refused("[{\"computeMs\": -1, \"latencyMs\": 2}]", "trtexec-times"), HasSubstr("negative"));
  EXPECT_THAT(refused("[{\"latencyMs\": 2}]", "trtexec-times"), HasSubstr("no computeMs"));
  EXPECT_THAT(refused("[]", "trtexec-times"), HasSubstr("no query"));
  EXPECT_THAT(refused("[{\"averageMs\": 1}]", "trtexec-profile"), HasSubstr("has no name"));
  EXPECT_THAT(refused("[{\"name\": \"a\"}]", "trtexec-profile"), HasSubstr("no averageMs"));
  EXPECT_THAT(refused("[{\"averageMs\": " + std::string(100'000, '['), "trtexec-profile"),
              HasSubstr("unexpected array"));
  EXPECT_THAT(refused("[{\"averageMs\": }]", "trtexec-profile"), HasSubstr("not JSON"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
