// Reads the CSV of Triton's perf_analyzer, and of perf_client before it, which does not divide the server's
// compute: one row per concurrency or request rate, times in µs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t most_rows = 100'000;

struct LatencyPart {
  std::string_view column, metric;
};
// The parts of the mean latency, which is their sum. Either the three of the server's compute are in the
// file, or the one.
constexpr std::array<LatencyPart, 8> latency_parts{{{"Client Send", "client_send"},
                                                    {"Network+Server Send/Recv", "network"},
                                                    {"Server Queue", "server_queue"},
                                                    {"Server Compute", "server_compute"},
                                                    {"Server Compute Input", "server_input"},
                                                    {"Server Compute Infer", "server_infer"},
                                                    {"Server Compute Output", "server_output"},
                                                    {"Client Recv", "client_receive"}}};

class PerfAnalyzerReading {
 public:
  PerfAnalyzerReading(Source& source, input::Problems& problems) : source_(source), problems_(problems) {}

  std::vector<Import> run() {
    std::string_view line;
    std::string wrong;
    while (wrong.empty() && source_.next_line(line)) {
      if (trimmed(line).empty()) continue;
      if (!split_fields(line, fields_)) {
        wrong = "a quote is not closed";
      } else if (header_.empty()) {
        header_ = fields_;
        if (!has("Inferences/Second")) wrong = "the header is not one of perf_analyzer";
      } else {
        wrong = read_row();
      }
    }
    if (wrong.empty()) wrong = source_.failure();
    if (wrong.empty() && source_.unterminated())
      wrong = "the last line has no newline: the file is truncated";
    if (wrong.empty() && imports_.empty()) wrong = "the file has no rows";
    if (wrong.empty()) return std::move(imports_);
    source_.fail(problems_, source_.line(), wrong);
    return {};
  }

 private:
  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::find(header_, name) != header_.end();
  }

  [[nodiscard]] std::optional<double> value(std::string_view name) const {
    const auto found = std::ranges::find(header_, name);
    if (found == header_.end()) return std::nullopt;
    const auto number = parse_number(fields_[static_cast<std::size_t>(found - header_.begin())]);
    return number && *number >= 0 ? number : std::nullopt;
  }

  std::string read_row() {
    if (fields_.size() != header_.size())
      return fmt::format("{} fields where the header has {}: is it truncated?", fields_.size(),
                         header_.size());
    if (imports_.size() == most_rows) return fmt::format("more than {} rows", most_rows);
    const auto throughput = value("Inferences/Second");
    const char* const levels = has("Concurrency") ? "Concurrency" : "Request Rate";
    const auto level = value(levels);
    if (!throughput || (!level && has(levels))) return "a row has no throughput or no load level";
    Import result{.format = "perf-analyzer", .origin = source_.origin()};
    result.setting.tool = "perf_analyzer";
    if (const auto batch = value("Batch Size"); batch && *batch >= 1 && *batch <= 1e6)
      result.setting.batch = static_cast<std::int64_t>(*batch);
    const std::string of =
        level ? fmt::format("{} {:g}", has("Concurrency") ? "concurrency" : "request rate", *level) : "";
    const auto row = [&](std::string metric, double number, std::string unit) {
      return Measurement{
          .metric = std::move(metric), .value = number, .unit = std::move(unit), .count = 1, .of = of};
    };
    result.rows.push_back(row("throughput", *throughput, "images/s"));
    const auto milliseconds = [this](std::string_view name) {
      const auto microseconds = value(name);
      return microseconds ? std::optional(*microseconds / 1000) : std::nullopt;
    };
    double sum = 0;
    bool all = true;
    std::vector<Measurement> rows;
    for (const LatencyPart& part : latency_parts) {
      const auto time = milliseconds(part.column);
      const bool other_form = part.column.starts_with("Server Compute") &&
                              (part.column == "Server Compute") != has("Server Compute");
      all = all && (time || other_form);
      if (!time) continue;
      sum += *time;
      rows.push_back(row(std::string(part.metric), *time, "ms"));
    }
    const auto mean = milliseconds("Avg latency"), median = milliseconds("p50 latency");
    if (mean || all || median) {
      Measurement latency = row("latency", mean ? *mean : all ? sum : *median, "ms");
      latency.median = median;
      latency.p90 = milliseconds("p90 latency");
      latency.p99 = milliseconds("p99 latency");
      result.rows.push_back(std::move(latency));
      if (!mean && !all)
        result.notes.emplace_back("latency: the file has no mean, so the value is the median");
      if (!mean && all && imports_.empty())
        result.notes.emplace_back("latency is the sum of its parts, which the file gives as means");
    }
    std::ranges::move(rows, std::back_inserter(result.rows));
    imports_.push_back(std::move(result));
    return {};
  }

  Source& source_;
  input::Problems& problems_;
  std::vector<std::string> header_, fields_;
  std::vector<Import> imports_;
};

// The number behind a name in a line such as "    p90 latency: 40100 usec", in ms where its unit is usec.
std::optional<double> number_after(std::string_view line, std::string_view name) {
  const std::string_view text = trimmed(line);
  if (!text.starts_with(name)) return std::nullopt;
  std::string_view rest = trimmed(text.substr(name.size()));
  return take_number(rest);
}

// The client's lines below a level of load, in what perf_analyzer prints. Its throughput counts requests.
void read_client_line(std::string_view line, const std::string& of, Import& run) {
  const auto batch = static_cast<double>(run.setting.batch.value_or(1));
  if (const auto rate = number_after(line, "Throughput: "))
    run.rows.push_back(
        {.metric = "throughput", .value = *rate * batch, .unit = "images/s", .count = 1, .of = of});
  if (const auto us = number_after(line, "Avg latency: "))
    run.rows.push_back({.metric = "latency", .value = *us / 1000, .unit = "ms", .count = 1, .of = of});
  if (run.rows.empty() || run.rows.back().metric != "latency") return;
  constexpr std::array<std::pair<std::string_view, std::optional<double> Measurement::*>, 3> quantiles{
      {{"p50 latency: ", &Measurement::median},
       {"p90 latency: ", &Measurement::p90},
       {"p99 latency: ", &Measurement::p99}}};
  for (const auto& [name, member] : quantiles)
    if (const auto us = number_after(line, name)) run.rows.back().*member = *us / 1000;
}

}  // namespace

std::vector<Import> read_perf_analyzer_text(Source& source, input::Problems& problems) {
  std::vector<Import> runs;
  std::optional<std::int64_t> batch;
  std::string of;
  bool client = false;
  for (std::string_view line; source.next_line(line);) {
    const std::string_view text = trimmed(line);
    if (const auto size = number_after(line, "Batch size: "); size && *size >= 1 && *size <= 1e6)
      batch = static_cast<std::int64_t>(*size);
    for (const std::string_view level : {"Request concurrency: ", "Request Rate: "}) {
      const auto load = number_after(line, level);
      if (!load || text.find(',') != std::string_view::npos) continue;
      runs.push_back({.format = "perf-analyzer", .origin = source.origin()});
      runs.back().setting.tool = "perf_analyzer";
      runs.back().setting.batch = batch;
      of = fmt::format("{} {:g}", level.starts_with("Request c") ? "concurrency" : "request rate", *load);
    }
    client = text == "Client:" || (client && text != "Server:");
    if (client && !runs.empty()) read_client_line(line, of, runs.back());
  }
  if (source.failure().empty() && !runs.empty() && runs.back().rows.size() > 1) return runs;
  source.fail(problems, source.line(),
              !source.failure().empty() ? source.failure()
                                        : "the file holds no throughput with its latency: is it truncated?");
  return {};
}

std::vector<Import> read_perf_analyzer(Source& source, input::Problems& problems) {
  return PerfAnalyzerReading(source, problems).run();
}

}  // namespace jostle::calibration
