// How fast logs are read: MB/s of text on one core, from memory, of tegrastats, trtexec and a profiler's
// trace.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "calibration/logs/formats.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t log_bytes = 64U << 20U;

std::string tegrastats_log() {
  std::string text;
  for (int i = 0; text.size() < log_bytes; ++i) {
    text += fmt::format(
        "07-26-2026 15:{:02}:{:02} RAM {}/7620MB (lfb 109x4MB) SWAP 0/3810MB (cached 0MB) CPU "
        "[{}%@1728,0%@1728,3%@1728,0%@1728,off,off] EMC_FREQ {}%@3199 GR3D_FREQ {}%@[{}] NVDEC off NVJPG off "
        "VIC off "
        "OFA off APE 200 cpu@51.{:03}C soc2@50.937C soc0@50.343C gpu@51.187C tj@51.187C soc1@49.281C VDD_IN "
        "{}mW/5750mW VDD_CPU_GPU_CV {}mW/1475mW VDD_SOC 2312mW/2312mW\n",
        i / 60 % 60, i % 60, 2500 + i % 100, i % 101, i % 30, i % 100, 900 + i % 100, i % 1000,
        5000 + i % 9999, 1400 + i % 999);
  }
  return text;
}

std::string trtexec_log() {
  std::string text =
      "&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=a.onnx --verbose\n"
      "[07/26/2026-15:53:43] [I] Precision: FP16\n"
      "[07/26/2026-15:53:43] [I] Input binding for x with dimensions 1x3x224x224 is created.\n";
  for (int i = 0; text.size() < log_bytes; ++i) {
    text += fmt::format(
        "[07/26/2026-15:54:08] [I] Average on 10 runs - GPU latency: 1.5{:03} ms - Host latency: 1.59125 ms "
        "(enqueue "
        "0.210701 ms)\n[07/26/2026-15:54:08] [V] [TRT] layer {} implementation\n"
        "[07/26/2026-15:54:08] [I] [TRT] Total Activation Memory: {}\n[07/26/2026-15:54:08] [I] Some option: "
        "value {}\n",
        i % 1000, i, i, i);
  }
  return text +
         "[07/26/2026-15:54:08] [I] Throughput: 644.188 qps\n"
         "[07/26/2026-15:54:08] [I] GPU Compute Time: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.5 "
         "ms, "
         "percentile(99%) = 1.9 ms\n"
         "[07/26/2026-15:54:08] [I] Total GPU Compute Time: 2.99844 s\n"
         "&&&& PASSED TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=a.onnx --verbose\n";
}

// A trace with the indentation of PyTorch.
std::string trace() {
  std::string text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  for (int i = 0; text.size() < log_bytes; ++i) {
    const double ts = 4362203431025.776 + 10 * i;
    text += fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 401, "
        "\"tid\": 401,\n"
        "    \"ts\": {:.3f}, \"dur\": 4.{:03},\n    \"args\": {{\n      \"External id\": {}, \"cbid\": 211, "
        "\"correlation\": {}\n    }}\n  }},\n"
        "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
        "at::native::vectorized_elementwise_kernel<{}, "
        "at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul> >(int)\", \"pid\": 0, \"tid\": 7,\n"
        "    \"ts\": {:.3f}, \"dur\": 2.{:03},\n    \"args\": {{\n      \"External id\": {}, \"queued\": 0, "
        "\"device\": 0, "
        "\"context\": 1, \"stream\": 7, \"correlation\": {}, \"registers per thread\": 32, \"shared "
        "memory\": 0, "
        "\"blocks per SM\": 0.007576, \"grid\": [1, 1, 1], \"block\": [128, 1, 1]\n    }}\n  }},\n",
        ts, i % 1000, i, i, i % 50, ts + 6, i % 1000, i, i);
  }
  return text + "  {\"ph\": \"M\"}\n  ]\n}\n";
}

void read(benchmark::State& state, const char* name, std::string (*make)()) {
  const std::string text = make();
  for (auto _ : state) {
    state.PauseTiming();
    auto source = Source::of_text(text, name);
    input::Problems problems;
    state.ResumeTiming();
    const auto imports = import_log(*source, find_format(name), problems);
    if (imports.empty()) throw std::runtime_error(problems.text());
    benchmark::DoNotOptimize(imports.front().rows.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK_CAPTURE(read, tegrastats, "tegrastats", tegrastats_log)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, trtexec, "trtexec", trtexec_log)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, chrome_trace, "chrome-trace", trace)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jostle::calibration
