// Reads the text log of trtexec, TensorRT 7 to 10: the summary that it prints, and the settings that it lists
// before.
//
// TensorRT 8 and later print one line per quantity ("GPU Compute Time: min = 1.5 ms, ..."); TensorRT 7 prints
// a block ("GPU Compute", then "mean: 1.5 ms"). Implicit batches are counted in the throughput, explicit ones
// are not (sampleReporting.cpp). A log may contain several runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

struct Quantity {
  std::string_view heading;  // text in the log
  std::string_view metric;
};
constexpr std::array<Quantity, 8> quantities{{{"Latency", "latency"},
                                              {"Host Latency", "latency"},
                                              {"End-to-End Host Latency", "end_to_end_latency"},
                                              {"Enqueue Time", "enqueue"},
                                              {"H2D Latency", "h2d"},
                                              {"GPU Compute Time", "gpu_time"},
                                              {"GPU Compute", "gpu_time"},
                                              {"D2H Latency", "d2h"}}};

const Quantity* quantity_of(std::string_view heading) {
  const auto found = std::ranges::find(quantities, heading, &Quantity::heading);
  return found == quantities.end() ? nullptr : &*found;
}

struct Printed {
  std::string_view metric;
  std::optional<double> mean, median, p90, p99;
};

// A run of trtexec: the lines from "&&&& RUNNING" to "&&&& PASSED".
struct Run {
  int first_line = 0, last_line = 0;
  bool begun = false, ended = false, failed = false, summary_ended = false, built_only = false;
  bool profiled = false, separate_profile = false, engine_loaded = false, tf32_off = false;
  std::string command, precision, first_error;
  Setting setting;
  std::optional<double> throughput, queries, seconds, streams;  // seconds: time of all queries together
  std::optional<std::int64_t> implicit_batch, bound_batch;
  bool bindings_differ = false;
  std::vector<Printed> printed;
  const Quantity* block = nullptr;  // current block of a TensorRT 7 log
};

class TrtexecLogReading {
 public:
  TrtexecLogReading(Source& source, input::Problems& problems) : source_(source), problems_(problems) {}

  std::vector<Import> run() {
    std::string_view line;
    while (source_.next_line(line)) read(line);
    if (!source_.failure().empty())
      source_.fail(log_problems_, source_.line(), source_.failure());
    else if (run_.begun)
      finish();
    else if (imports_.empty() && log_problems_.empty())
      source_.fail(log_problems_, 0, "the file contains no run of trtexec");
    problems_.append(log_problems_);
    if (!log_problems_.empty()) imports_.clear();
    return std::move(imports_);
  }

 private:
  void read(std::string_view line) {
    if (line.starts_with("&&&& ")) {
      read_mark(line.substr(5));
      return;
    }
    // The line is "[07/26/2026-15:53:43] [I] text" or "[I] text".
    if (line.size() < 4 || line.front() != '[') return;
    std::size_t at = line[2] == ']' ? 0 : std::string_view::npos;
    if (at != 0) {
      at = line.substr(0, 40).find("] [");
      if (at == std::string_view::npos || line.size() < at + 6) return;
      at += 2;
    }
    const char severity = line[at + 1];
    if (severity == 'V' || line[at + 2] != ']') return;
    const std::string_view text = line.substr(std::min(at + 4, line.size()));
    if (severity == 'E') {
      if (run_.first_error.empty()) run_.first_error = std::string(text.substr(0, 300));
      return;
    }
    if (severity != 'I' || text.starts_with("[TRT]") || text.starts_with("Average on ")) return;
    if (text.find_first_not_of(' ') == std::string_view::npos) return;
    begin();
    read_information(text);
  }

  void begin() {
    if (!run_.begun) run_.first_line = source_.line();
    run_.begun = true;
    run_.last_line = source_.line();
  }

  // Reads a mark such as "RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=...".
  void read_mark(std::string_view text) {
    if (text.starts_with("RUNNING")) {
      if (run_.begun) finish();
      begin();
      const std::size_t hash = text.find("# ");
      if (hash == std::string_view::npos) return;
      run_.command = std::string(text.substr(hash + 2).substr(0, 10'000));
      const auto has = [this](std::string_view flag) { return run_.command.find(flag) != std::string::npos; };
      run_.profiled = has("--dumpProfile") || has("--exportProfile");
      run_.separate_profile = has("--separateProfileRun");
      run_.built_only = has("--buildOnly") || has("--skipInference");
      run_.tf32_off = has("--noTF32");
      run_.setting.onnx = option("--onnx=");
      read_shapes(option("--shapes="));
    } else if (text.starts_with("PASSED")) {
      begin();
      run_.ended = true;
    } else if (text.starts_with("FAILED")) {
      begin();
      run_.failed = true;
    }
  }

  // The value of an option on the command line; empty if it was not given.
  [[nodiscard]] std::string option(std::string_view name) const {
    const std::size_t at = run_.command.find(name);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size();
    return run_.command.substr(begin, run_.command.find(' ', begin) - begin);
  }

  // Reads shapes such as "x:1x3x320x320,y:1x10": the batch is the first dimension of the inputs.
  void read_shapes(std::string_view shapes) {
    while (!shapes.empty()) {
      const std::string_view input = shapes.substr(0, shapes.find(','));
      const std::size_t colon = input.rfind(':');
      if (colon != std::string_view::npos) read_dimensions(input.substr(colon + 1));
      shapes.remove_prefix(std::min(input.size() + 1, shapes.size()));
    }
  }

  void read_information(std::string_view text) {
    if (const auto rest = after(text, "Timing trace has ")) {
      std::string_view queries = *rest;
      run_.queries = take_number(queries);
      if (const auto over = after(queries, " queries over ")) {
        std::string_view time = *over;
        const auto seconds = take_number(time);
        if (seconds && (time.starts_with(" s") || time.starts_with(" ms")))
          run_.seconds = *seconds / (time.starts_with(" ms") ? 1000 : 1);
      }
      return;
    }
    if (text.starts_with("Input binding for ") || text.starts_with("Created input binding for ")) {
      read_binding(text);
      return;
    }
    if (const Quantity* const block = quantity_of(trimmed(text))) {
      run_.block = block;
      run_.printed.push_back({block->metric, {}, {}, {}, {}});
      return;
    }
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) return;
    const std::string_view key = trimmed(text.substr(0, colon)), value = trimmed(text.substr(colon + 2));
    if (run_.block != nullptr && read_block(key, value)) return;
    if (const Quantity* const quantity = quantity_of(key)) {
      read_summary_line(*quantity, value);
    } else if (key == "Throughput" || key == "throughput") {
      std::string_view rest = value;
      run_.throughput = take_number(rest);
      if (!run_.throughput || trimmed(rest) != "qps") report_bad_number(value);
    } else if (key == "Total GPU Compute Time" || key == "total compute time") {
      run_.summary_ended = true;
    } else {
      read_option(key, value);
    }
  }

  void report_bad_number(std::string_view value) {
    source_.fail(
        log_problems_, source_.line(),
        fmt::format("'{}' is not a number as printed by trtexec", input::printable(std::string(value))),
        source_.unterminated() ? "the log is truncated here" : "");
  }

  // Returns the first number of a text such as "1.5 ms (end to end 1.6 ms)".
  std::optional<double> milliseconds(std::string_view text) {
    std::string_view rest = text;
    const auto value = take_number(rest);
    if (value && rest.starts_with(" ms") && *value >= 0) return value;
    report_bad_number(text);
    return std::nullopt;
  }

  void set(Printed& printed, std::string_view name, std::string_view value) {
    if (name == "mean") printed.mean = milliseconds(value);
    if (name == "median") printed.median = milliseconds(value);
    if (name == "percentile(90%)") printed.p90 = milliseconds(value);
    if (name == "percentile(99%)") printed.p99 = milliseconds(value);
  }

  // Reads a line such as "min = 1.5 ms, max = ..., percentile(99%) = 1.6 ms".
  void read_summary_line(const Quantity& quantity, std::string_view value) {
    if (value.find('=') == std::string_view::npos) return;  // explanatory text in a verbose log
    Printed printed{quantity.metric, {}, {}, {}, {}};
    while (!value.empty()) {
      const std::size_t comma = std::min(value.find(", "), value.size());
      const std::string_view item = value.substr(0, comma);
      const std::size_t equals = item.find(" = ");
      if (equals == std::string_view::npos) {
        report_bad_number(item);
        return;
      }
      set(printed, item.substr(0, equals), item.substr(equals + 3));
      value.remove_prefix(std::min(comma + 2, value.size()));
    }
    run_.printed.push_back(printed);
  }

  // Reads a line of a TensorRT 7 block, such as "percentile: 1.6 ms at 99%".
  bool read_block(std::string_view key, std::string_view value) {
    Printed& printed = run_.printed.back();
    if (key == "min" || key == "max" || key == "walltime") return true;
    if (key == "percentile") {
      const auto number = milliseconds(value);
      if (value.find(" at 99%") != std::string_view::npos) printed.p99 = number;
      if (value.find(" at 90%") != std::string_view::npos) printed.p90 = number;
      return true;
    }
    if (key != "mean" && key != "median") return false;
    set(printed, key, value);
    return true;
  }

  // Reads a line such as "Input binding for x with dimensions 4x3x224x224 is created."
  void read_binding(std::string_view text) {
    const std::size_t at = text.find("with dimensions ");
    if (at == std::string_view::npos) return;
    read_dimensions(text.substr(at + 16));
  }

  void read_dimensions(std::string_view dimensions) {
    const auto first = take_number(dimensions);
    if (!first || *first < 1 || *first != std::floor(*first) || *first > 1e6) return;
    const auto batch = static_cast<std::int64_t>(*first);
    if (run_.bound_batch && *run_.bound_batch != batch) run_.bindings_differ = true;
    run_.bound_batch = batch;
  }

  void read_option(std::string_view key, std::string_view value) {
    Setting& setting = run_.setting;
    std::string_view rest = value;
    if (key == "Model" || key == "Load engine") {
      if (!value.empty()) setting.model = stem(value);
      if (value.ends_with(".onnx")) setting.onnx = value;
      if (key == "Load engine" && !value.empty()) run_.engine_loaded = true;
    } else if (key == "Precision") {
      run_.precision = std::string(value);
    } else if (key == "DLACore") {
      setting.placement = value.empty() ? "gpu" : "dla" + std::string(value.substr(0, 2));
    } else if (key == "Batch" || key == "Max batch") {
      if (const auto batch = parse_number(value); batch && *batch >= 1 && *batch == std::floor(*batch))
        run_.implicit_batch = static_cast<std::int64_t>(*batch);
    } else if (key == "Streams" || key == "Inference Streams") {
      run_.streams = parse_number(value);
    } else if (key == "Spin-wait") {
      setting.sync = value == "Enabled" ? "spin" : "blocking";
    } else if (key == "Data transfers") {
      setting.transfers = value == "Disabled" ? "none" : "";
    } else if (key == "CUDA Graph") {
      setting.runtime = value == "Enabled" ? "tensorrt-graph" : "tensorrt";
    } else if (key == "Separate profiling") {
      run_.separate_profile |= value == "Enabled";
    } else if (key == "Profile") {
      run_.profiled |= value == "Enabled";
    } else if (key == "Export profile to JSON file") {
      run_.profiled |= !value.empty();
    } else if (key == "Skip inference") {
      run_.built_only |= value == "Enabled";
    } else if (key == "Selected Device") {
      setting.gpu = std::string(value.substr(0, 100));
    } else if (key == "Compute Capability") {
      setting.compute_capability = std::string(value.substr(0, 10));
    } else if (key == "SMs") {
      if (const auto sms = parse_number(value)) setting.sms = static_cast<std::int64_t>(*sms);
    } else if (key == "Device Global Memory") {
      if (const auto mebibytes = take_number(rest)) setting.memory_bytes = *mebibytes * 1024 * 1024;
    } else if (key == "TensorRT version") {
      setting.tool = "trtexec " + std::string(value.substr(0, 20));
    }
  }

  // The precision as named in scenarios. By default, TensorRT may round FP32 to TF32 on Ampere and later.
  std::string precision(std::vector<std::string>& notes) const {
    const std::string& text = run_.precision;
    const auto has = [&text](std::string_view word) { return text.find(word) != std::string::npos; };
    std::string found = has("INT8")   ? "int8"
                        : has("FP8")  ? "fp8"
                        : has("BF16") ? "bf16"
                        : has("FP16") ? "fp16"
                                      : "";
    if (run_.engine_loaded) {
      notes.push_back(
          found.empty()
              ? "the log does not contain the precision of the loaded engine"
              : fmt::format(
                    "precision {} was requested, but the engine was loaded and may have another precision",
                    found));
      return found;
    }
    if (!found.empty() || !has("FP32")) return found;
    const auto capability = parse_number(run_.setting.compute_capability);
    if (run_.tf32_off || !capability || *capability < 8) return "fp32";
    notes.emplace_back("FP32 with TF32 allowed, which is trtexec's default: imported as tf32");
    return "tf32";
  }

  void finish() {
    finish_run();
    run_ = {};
  }

  void finish_run() {
    const auto wrong = [this](std::string message, std::string hint = {}) {
      source_.fail(log_problems_, run_.last_line, std::move(message), std::move(hint));
    };
    const auto has_mean_or_median = [this](std::string_view metric) {
      return std::ranges::any_of(run_.printed, [metric](const Printed& printed) {
        return printed.metric == metric && (printed.mean || printed.median);
      });
    };
    if (run_.failed) {
      wrong("trtexec reports that the run failed", input::printable(run_.first_error, 200));
    } else if (run_.printed.empty() && run_.built_only) {
      wrong("the run built an engine without timing it");
    } else if (run_.printed.empty()) {
      wrong("the log ends before the performance summary", "it is truncated, or trtexec was stopped");
    } else if (!run_.throughput || !has_mean_or_median("gpu_time") || !(run_.summary_ended || run_.ended)) {
      wrong("the performance summary is incomplete", "the log is truncated");
    } else {
      imports_.push_back(import());
    }
  }

  Import import() {
    Import result{.format = "trtexec", .origin = source_.origin(), .setting = run_.setting};
    Setting& setting = result.setting;
    setting.precision = precision(result.notes);
    if (setting.tool.empty()) setting.tool = "trtexec";
    if (run_.implicit_batch) {
      setting.batch = run_.implicit_batch;
    } else if (run_.bound_batch && !run_.bindings_differ) {
      setting.batch = run_.bound_batch;
    }
    if (run_.streams && *run_.streams > 1)
      result.notes.push_back(
          fmt::format("times are per stream: {} inference streams ran in parallel", *run_.streams));
    const bool slowed = run_.profiled && !run_.separate_profile;
    if (slowed) {
      setting.observer = "trtexec";
      result.notes.emplace_back(
          "enqueue is left out: the layer profiler was on, so enqueueing waited for each layer. Throughput "
          "and times are those of the profiled run; --separateProfileRun measures them without the profiler");
    }
    const double per_query = run_.implicit_batch ? static_cast<double>(*run_.implicit_batch) : 1;
    const auto count = static_cast<std::int64_t>(run_.queries.value_or(per_query) / per_query);
    add_throughput(result, count);
    for (const Printed& printed : run_.printed) {
      if (slowed && printed.metric == "enqueue") continue;
      if (!printed.mean && !printed.median) continue;
      if (!printed.mean)
        result.notes.push_back(
            fmt::format("{}: the log has no mean, so the value is the median", printed.metric));
      result.rows.push_back({.metric = std::string(printed.metric),
                             .value = printed.mean.value_or(printed.median.value_or(0)),
                             .unit = "ms",
                             .median = printed.median,
                             .p90 = printed.p90,
                             .p99 = printed.p99,
                             .count = std::max<std::int64_t>(count, 1)});
    }
    return result;
  }

  // TensorRT 7 prints 0 qps for explicit batches, but also the number of queries and the time that they took.
  [[nodiscard]] double queries_per_s() const {
    if (*run_.throughput > 0 || !run_.queries || !run_.seconds || *run_.seconds <= 0) return *run_.throughput;
    return *run_.queries / *run_.seconds;
  }

  void add_throughput(Import& result, std::int64_t count) const {
    const double rate = queries_per_s();
    if (rate <= 0) {
      result.notes.emplace_back(
          "throughput is left out: trtexec printed 0 qps (TensorRT 7 does so for explicit batches), and not "
          "the time that the queries took");
      return;
    }
    if (*run_.throughput <= 0)
      result.notes.push_back(
          fmt::format("throughput is {:g} queries over {:g} s: trtexec printed 0 qps (TensorRT 7 does so for "
                      "explicit batches)",
                      *run_.queries, *run_.seconds));
    Measurement row{
        .metric = "throughput", .value = rate, .unit = "images/s", .count = std::max<std::int64_t>(count, 1)};
    if (!run_.implicit_batch) {
      if (result.setting.batch) {
        row.value *= static_cast<double>(*result.setting.batch);
      } else {
        row.unit = "queries/s";
        result.notes.emplace_back("the log does not contain the batch size: throughput is in queries/s");
      }
    }
    result.rows.push_back(row);
  }

  Source& source_;
  input::Problems& problems_;
  input::Problems log_problems_;  // problems of this log; with any, nothing is imported
  std::vector<Import> imports_;
  Run run_;
};

}  // namespace

std::vector<Import> read_trtexec_log(Source& source, input::Problems& problems) {
  return TrtexecLogReading(source, problems).run();
}

}  // namespace jostle::calibration
