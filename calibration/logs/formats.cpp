#include "calibration/logs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "calibration/logs/log_text.hpp"
#include "calibration/logs/nsys_columns.hpp"
#include "calibration/logs/tegrastats_line.hpp"

namespace jostle::calibration {
namespace {

bool has(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

std::string_view first_line(std::string_view head) {
  while (!head.empty() && (head.front() == '\n' || head.front() == '\r')) head.remove_prefix(1);
  return trimmed(head.substr(0, std::min(head.find('\n'), head.size())));
}

char first_letter(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : head[at];
}

// Recognised by the first non-blank character, so that nested text cannot mislead.
bool is_json(std::string_view head) {
  return first_letter(head) == '{' || first_letter(head) == '[';
}

bool is_trtexec(std::string_view head) {
  return has(head, "&&&& RUNNING TensorRT") || has(head, "&&&& PASSED TensorRT") ||
         has(head, "=== Performance summary ===") || has(head, "=== Inference Options ===");
}
bool is_times(std::string_view head) {
  return first_letter(head) == '[' && has(head, "\"computeMs\"") && has(head, "\"latencyMs\"");
}
bool is_profile(std::string_view head) {
  return first_letter(head) == '[' && has(head, "\"averageMs\"");
}
bool is_tegrastats(std::string_view head) {
  for (std::size_t line = 0; line < 1000 && !head.empty(); ++line) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view text = head.substr(0, end);
    if (tegrastats_start(text) != std::string_view::npos && (has(text, "CPU [") || has(text, "cpu [")))
      return true;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return false;
}
bool is_jtop(std::string_view head) {
  std::string line(first_line(head));
  std::ranges::transform(line, line.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (line.starts_with("<key>")) return has(head, "jetson_clocks") || has(head, "nvp model");
  return has(line, ",") && (has(line, "nvp model") || has(line, "jetson_clocks") ||
                            has(line, "cpu_util_core_0") || has(line, "temp cpu"));
}
bool is_nsys_sqlite(std::string_view head) {
  return head.starts_with(std::string_view("SQLite format 3\0", 16));
}
// One of the reports as JSON, an array of objects whose keys are the columns of the others.
bool is_nsys_json(std::string_view head) {
  return is_json(head) &&
         (has(head, "\"Avg (ns)\"") || has(head, "\"Avg (MB)\"") || has(head, "\"Average\"")) &&
         (has(head, "\"Name\"") || has(head, "\"Operation\"") || has(head, "\"Range\""));
}
bool is_nsys_stats(std::string_view head) {
  if (is_json(head)) return is_nsys_json(head);
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    if (is_nsys_heading(head.substr(0, end))) return true;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return false;
}
bool is_chrome_trace(std::string_view head) {
  if (first_letter(head) == '[') return has(head, "\"ph\"");
  return first_letter(head) == '{' && (has(head, "\"traceEvents\"") || has(head, "\"deviceProperties\"") ||
                                       has(head, "\"schemaVersion\""));
}
bool is_perf_analyzer(std::string_view head) {
  const std::string_view line = first_line(head);
  return has(line, "Inferences/Second") &&
         (line.starts_with("Concurrency") || line.starts_with("Request Rate") || has(line, "Client Send"));
}
bool is_perf_analyzer_text(std::string_view head) {
  return has(head, "*** Measurement Settings ***") ||
         (has(head, "Inferences/Second vs. Client") && has(head, "Throughput: "));
}
bool is_llama_bench(std::string_view head) {
  if (is_json(head)) return has(head, "\"avg_ts\"") && has(head, "\"n_gen\"");
  return has(head, "|") && has(head, " t/s |") && has(head, " test |");
}
bool is_serving(std::string_view head) {
  if (!is_json(head)) return has(head, "Serving Benchmark Result") && has(head, "TTFT (ms):");
  return has(head, "\"output_throughput\"") && has(head, "ttft_ms\"");
}
bool is_genai_perf(std::string_view head) {
  if (is_json(head)) return has(head, "\"request_throughput\"") && has(head, "\"avg\"");
  return (has(head, "Metric,avg") || has(head, "Statistic")) &&
         (has(head, "Request Throughput") || has(head, "Request throughput"));
}
bool is_ollama(std::string_view head) {
  return has(head, "total duration:") && has(head, "eval rate:");
}
constexpr std::array<Format, 14> table{{
    {"trtexec", "text log of trtexec, TensorRT 7 to 10", is_trtexec, read_trtexec_log},
    {"trtexec-times", "trtexec --exportTimes", is_times, read_trtexec_times},
    {"trtexec-profile", "trtexec --exportProfile", is_profile, read_trtexec_profile},
    {"tegrastats", "log of tegrastats", is_tegrastats, read_tegrastats},
    {"jtop", "CSV log of jtop", is_jtop, read_jtop},
    {"nsys-sqlite", "nsys export --type sqlite", is_nsys_sqlite, read_nsys_sqlite},
    {"nsys-stats", "CSV, text, tables or JSON of nsys stats", is_nsys_stats, read_nsys_stats},
    {"chrome-trace", "trace of the PyTorch profiler, or another in Chrome's JSON", is_chrome_trace,
     read_chrome_trace},
    {"perf-analyzer", "CSV of Triton's perf_analyzer or perf_client", is_perf_analyzer, read_perf_analyzer},
    {"perf-analyzer-text", "what perf_analyzer prints", is_perf_analyzer_text, read_perf_analyzer_text},
    {"llama-bench", "table (Markdown) or JSON of llama-bench", is_llama_bench, read_llama_bench},
    {"serving", "JSON or text of vLLM's and SGLang's bench_serving", is_serving, read_serving},
    {"genai-perf", "JSON, CSV or tables of genai-perf", is_genai_perf, read_genai_perf},
    {"ollama", "timings of ollama run --verbose", is_ollama, read_ollama},
}};

// Words that tell a tool, and what of it can be imported.
struct Resemblance {
  std::string_view word, tool, instead;
};
constexpr std::array resemblances{
    Resemblance{"llama_print_timings", "llama.cpp's llama-cli",
                "llama-bench times it alone: llama-bench -m MODEL"},
    Resemblance{"llama_perf_", "llama.cpp's llama-cli", "llama-bench times it alone: llama-bench -m MODEL"},
    Resemblance{"Throughput: ", "a server's benchmark",
                "its JSON: vllm bench serve --save-result, genai-perf"},
    Resemblance{"**PERF", "DeepStream",
                "the log of its engine from trtexec, and tegrastats beside the pipeline"},
    Resemblance{"Inference timings in us", "TensorFlow Lite's benchmark_model",
                "jostle record tflite MODEL.tflite"},
    Resemblance{"min = ", "benchncnn", "jostle record ncnn MODEL.param"},
    Resemblance{"Average inference time cost", "onnxruntime_perf_test",
                "jostle record onnxruntime MODEL.onnx"},
    Resemblance{"NVIDIA-SMI", "nvidia-smi", "tegrastats on a Jetson, jostle record on a card"},
    Resemblance{"VDD_", "tegrastats", "its lines whole, from RAM on"},
    Resemblance{"mW/", "tegrastats", "its lines whole, from RAM on"},
    Resemblance{"qps", "trtexec", "its whole log, with the summary at the end"},
    Resemblance{"[TensorRT]", "trtexec", "its whole log, with the summary at the end"},
    Resemblance{"cudaLaunchKernel", "a profiler", "nsys export --type sqlite, or nsys stats"},
    Resemblance{"tokens/s", "a benchmark of language models",
                "llama-bench, vLLM's or SGLang's JSON, genai-perf, ollama"},
    Resemblance{"infer/sec", "perf_analyzer", "its whole output, or the CSV of -f FILE"}};

}  // namespace

std::string unknown_hint(std::string_view head) {
  std::string text;
  std::string_view before;
  for (const Resemblance& one : resemblances) {
    if (!has(head, one.word) || one.tool == before) continue;
    text += fmt::format("{}{}: import {}", text.empty() ? "it resembles " : "; or ", one.tool, one.instead);
    before = one.tool;
  }
  return text.empty() ? "jostle import --help lists the formats" : text;
}

std::span<const Format> formats() {
  return table;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Format::name);
  return found == table.end() ? nullptr : &*found;
}

const Format* detect_format(std::string_view head) {
  if (has(head, "\x1b[")) return detect_format(without_colours(head));
  const auto found =
      std::ranges::find_if(table, [head](const Format& format) { return format.looks_like(head); });
  return found == table.end() ? nullptr : &*found;
}

std::vector<Import> import_log(Source& source, const Format* format, input::Problems& problems) {
  const std::string_view head = source.peek();
  if (head.empty()) {
    source.fail(problems, 0, source.failure().empty() ? "the file is empty" : source.failure());
    return {};
  }
  if (const KnownFile* const known = known_file(head, source.origin())) {
    source.fail(problems, 0, std::string(known->what), std::string(known->to_do));
    return {};
  }
  const Format* const detected = detect_format(head);
  if (format == nullptr && detected == nullptr) {
    source.fail(problems, 0,
                is_json(head) ? "JSON, but not in a supported format" : "not a supported log format",
                unknown_hint(head));
    return {};
  }
  if (format != nullptr && detected != nullptr && format != detected && !format->looks_like(head)) {
    source.fail(problems, 0,
                fmt::format("not {}: it looks like {} ({})", format->name, detected->name, detected->what));
    return {};
  }
  return (format != nullptr ? format : detected)->read(source, problems);
}

namespace {

// True if a line of the text begins so, behind blanks.
bool holds_line(std::string_view head, std::string_view begin) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (trimmed(line).starts_with(begin)) return true;
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return false;
}

bool has_zero_byte(std::string_view head) {
  return head.find('\0') != std::string_view::npos;
}

bool name_ends_in(std::string_view name, std::string_view ending) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(ending);
}

struct KnownKind {
  KnownFile file;
  bool (*is)(std::string_view head, std::string_view name);
};

bool is_lfs(std::string_view head, std::string_view) {
  return head.starts_with("version https://git-lfs.github.com/spec/");
}
bool is_nsys_report(std::string_view head, std::string_view name) {
  return has_zero_byte(head) && !head.starts_with("SQLite format 3") &&
         (name_ends_in(name, ".nsys-rep") || name_ends_in(name, ".qdrep") || name_ends_in(name, ".qdstrm"));
}
bool is_ncu_report(std::string_view head, std::string_view name) {
  return has_zero_byte(head) &&
         (name_ends_in(name, ".ncu-rep") || head.starts_with(std::string_view("NVR\0", 4)));
}
bool is_deepstream(std::string_view head, std::string_view) {
  return holds_line(head, "[tiled-display]") || holds_line(head, "[streammux]") ||
         holds_line(head, "[primary-gie]") || holds_line(head, "primary-gie:") ||
         holds_line(head, "streammux:") ||
         (holds_line(head, "[property]") && (has(head, "net-scale-factor") || has(head, "gie-unique-id"))) ||
         (holds_line(head, "property:") && has(head, "gie-unique-id"));
}
bool is_triton(std::string_view head, std::string_view name) {
  if (has_zero_byte(head)) return false;
  return name_ends_in(name, "config.pbtxt") || holds_line(head, "max_batch_size:") ||
         holds_line(head, "instance_group") || holds_line(head, "dynamic_batching {") ||
         ((holds_line(head, "platform:") || holds_line(head, "backend:")) && has(head, "TYPE_FP"));
}
bool is_engine(std::string_view head, std::string_view name) {
  return has_zero_byte(head) &&
         (head.starts_with("ftrt") || name_ends_in(name, ".engine") || name_ends_in(name, ".plan"));
}
bool is_network(std::string_view head, std::string_view name) {
  return has_zero_byte(head) && name_ends_in(name, ".onnx");
}

bool is_layer_list(std::string_view head, std::string_view) {
  return first_letter(head) == '{' && has(head.substr(0, 200), "\"Layers\"");
}
bool is_nvpmodel(std::string_view head, std::string_view) {
  return has(head, "POWER_MODEL ID=") || has(head, "PARAM TYPE=");
}
bool is_utf16(std::string_view head, std::string_view) {
  return head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
}

constexpr std::array<KnownKind, 10> known_kinds{{
    {{"a Git LFS pointer, not the file itself", "git lfs pull fetches it"}, is_lfs},
    {{"text in UTF-16, as PowerShell's > writes", "convert it to UTF-8: iconv -f utf-16 -t utf-8"}, is_utf16},
    {{"a report of Nsight Systems in its own binary format", "export it: nsys export --type sqlite REPORT"},
     is_nsys_report},
    {{"a report of Nsight Compute, which replays kernels one by one",
      "record the run with nsys profile, then: nsys export --type sqlite REPORT"},
     is_ncu_report},
    {{"a configuration of DeepStream, which holds no measurement",
      "import the log of its engine from trtexec, and tegrastats beside the pipeline; docs/scenario.md has "
      "cameras and batching"},
     is_deepstream},
    {{"a configuration of a Triton model, which holds no measurement",
      "import the CSV of perf_analyzer -f FILE; docs/scenario.md has instances and batching"},
     is_triton},
    {{"a TensorRT engine, which holds no measurement",
      "time it: trtexec --loadEngine=ENGINE > trtexec.log, and import the log"},
     is_engine},
    {{"the layers of an engine, without their times", "import the file of trtexec --exportProfile"},
     is_layer_list},
    {{"power modes, which hold no measurement",
      "docs/scenario.md: a scenario takes nvpmodel.conf as its power_mode"},
     is_nvpmodel},
    {{"a network, not a log", "give it with --onnx FILE or --model FILE beside the logs"}, is_network},
}};

}  // namespace

const KnownFile* known_file(std::string_view head, std::string_view name) {
  const auto found =
      std::ranges::find_if(known_kinds, [&](const KnownKind& kind) { return kind.is(head, name); });
  return found == known_kinds.end() ? nullptr : &found->file;
}

}  // namespace jostle::calibration
