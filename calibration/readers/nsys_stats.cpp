// Reads summaries of `nsys stats`: one CSV (cuda_api_sum, cuda_gpu_kern_sum, osrt_sum, nvtx_sum,
// cuda_gpu_mem_*_sum), or the text output with all of them, where lines of dashes give the column widths.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "calibration/readers/formats.hpp"
#include "calibration/readers/log_text.hpp"
#include "calibration/readers/timed_calls.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t max_rows = 200'000;

enum SummaryColumn : std::size_t { count, mean, median, sd, name, columns };
struct Spelling {
  std::string_view header;
  SummaryColumn column;
};
constexpr std::array<Spelling, 17> spellings{{{"Num Calls", count},
                                              {"Instances", count},
                                              {"Count", count},
                                              {"Operations", count},
                                              {"Avg (ns)", mean},
                                              {"Average (ns)", mean},
                                              {"Average", mean},
                                              {"Avg (MB)", mean},
                                              {"Med (ns)", median},
                                              {"Med (MB)", median},
                                              {"StdDev (ns)", sd},
                                              {"StdDev (MB)", sd},
                                              {"StdDev", sd},
                                              {"Name", name},
                                              {"Range", name},
                                              {"Operation", name},
                                              {"Median", median}}};

// The layout of a summary, detected by its columns.
struct SummaryTable {
  std::array<std::optional<std::size_t>, columns> at;
  std::string count_header, name_header;
  bool megabytes = false;
  std::size_t width = 0;
};

std::optional<SummaryTable> table_of(const std::vector<std::string>& header) {
  SummaryTable table;
  table.width = header.size();
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto found = std::ranges::find(spellings, header[i], &Spelling::header);
    if (found == spellings.end()) continue;
    table.at[found->column] = i;
    if (found->column == count) table.count_header = header[i];
    if (found->column == name) table.name_header = header[i];
    if (header[i].ends_with("(MB)")) table.megabytes = true;
  }
  if (!table.at[count] || !table.at[mean] || !table.at[name]) return std::nullopt;
  return table;
}

bool is_cuda_call(std::string_view call) {
  return call.size() > 2 && call.starts_with("cu") &&
         (call.starts_with("cuda") || (call[2] >= 'A' && call[2] <= 'Z'));
}

std::string metric_of(const SummaryTable& table, std::string_view row) {
  if (table.megabytes) return "copy_size";
  if (table.name_header == "Range") return "range_time";
  if (table.name_header == "Operation" || row.starts_with("[CUDA ")) return "copy_time";
  if (table.count_header == "Num Calls") return is_cuda_call(row) ? call_metric(row) : "os_call";
  return "kernel_time";
}

class NsysStatsReading {
 public:
  NsysStatsReading(Source& source, input::Problems& problems) : source_(source), problems_(problems) {}

  std::vector<Import> run() {
    std::string_view line;
    while (wrong_.empty() && source_.next_line(line)) {
      const std::string_view text = trimmed(line);
      const bool heading = text.find("Total Time (ns)") != std::string_view::npos ||
                           text.starts_with("Total (MB)") || text.starts_with("Time(%)") ||
                           text.starts_with("Time (%)");
      if (heading) {
        begin_table(line);
      } else if (text.empty() || text.starts_with("Processing [") || text.starts_with("** ")) {
        table_.reset();
      } else if (ruled_ && text.starts_with("---")) {
        measure(line);
      } else if (table_) {
        read_row(line);
      }
    }
    if (wrong_.empty()) wrong_ = source_.failure();
    if (wrong_.empty() && result_.rows.empty()) wrong_ = "the file contains no summary of nsys stats";
    // The name in the last row may be truncated.
    if (wrong_.empty() && source_.unterminated())
      wrong_ = "the last line has no newline: the file is truncated";
    if (!wrong_.empty()) {
      source_.fail(problems_, source_.line(), wrong_);
      return {};
    }
    return {finish()};
  }

 private:
  void begin_table(std::string_view line) {
    table_.reset();
    ruled_ = line.find(',') == std::string_view::npos;
    if (ruled_) {
      heading_ = std::string(line);
      return;
    }
    spanned_ = false;
    if (split_fields(line, fields_)) table_ = table_of(fields_);
    if (!table_)
      wrong_ = "a summary has no columns for count, mean and name: not a known report of nsys stats";
  }

  // Measures the columns from a line of dashes, "--------  -------------". Their names are in the line above.
  void measure(std::string_view line) {
    spans_.clear();
    for (std::size_t i = 0; i < line.size();) {
      if (line[i] != '-') {
        ++i;
        continue;
      }
      const std::size_t end = std::min(line.find_first_not_of('-', i), line.size());
      spans_.emplace_back(i, end - i);
      i = end;
    }
    cut(heading_);
    table_ = table_of(fields_);
    ruled_ = false;
    spanned_ = table_.has_value();
  }

  void cut(std::string_view line) {
    fields_.clear();
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const auto& [from, width] = spans_[i];
      if (from >= line.size()) break;
      const bool last = i + 1 == spans_.size();
      fields_.emplace_back(trimmed(line.substr(from, last ? std::string_view::npos : width)));
    }
  }

  void read_row(std::string_view line) {
    if (spanned_) {
      cut(line);
    } else if (!split_fields(line, fields_)) {
      wrong_ = "a quote is not closed";
      return;
    }
    if (fields_.size() != table_->width) {
      wrong_ =
          fmt::format("{} fields where the header has {}: is it truncated?", fields_.size(), table_->width);
      return;
    }
    const auto number = [this](SummaryColumn column) -> std::optional<double> {
      return table_->at[column] ? figure(fields_[*table_->at[column]]) : std::nullopt;
    };
    const auto calls = number(count), average = number(mean);
    if (!calls || *calls < 0 || !average || *average < 0) {
      wrong_ = "a row has no count or mean";
      return;
    }
    if (result_.rows.size() == max_rows) {
      wrong_ = fmt::format("more than {} rows", max_rows);
      return;
    }
    const double scale = table_->megabytes ? 1 : 1e-3;
    const auto scaled = [scale](std::optional<double> value) {
      return value ? std::optional(*value * scale) : value;
    };
    std::string of = fields_[*table_->at[name]].substr(0, TimedCalls::max_name);
    std::string metric = metric_of(*table_, of);
    calls_ |= metric == "launch_call" || metric == "api_call";
    result_.rows.push_back({.metric = std::move(metric),
                            .value = *average * scale,
                            .unit = table_->megabytes ? "MB" : "us",
                            .sd = *calls > 1 ? scaled(number(sd)) : std::nullopt,
                            .median = scaled(number(median)),
                            .p90 = {},
                            .p99 = {},
                            .count = static_cast<std::int64_t>(*calls),
                            .of = std::move(of)});
  }

  Import finish() {
    result_.format = "nsys-stats";
    result_.origin = source_.origin();
    result_.setting.tool = "nsys stats";
    result_.setting.observer = "nsys";
    if (calls_) result_.notes.emplace_back(profiled_calls);
    return std::move(result_);
  }

  Source& source_;
  input::Problems& problems_;
  std::string wrong_, heading_;
  std::optional<SummaryTable> table_;
  std::vector<std::string> fields_;
  std::vector<std::pair<std::size_t, std::size_t>> spans_;
  bool ruled_ = false, spanned_ = false, calls_ = false;
  Import result_;
};

}  // namespace

std::vector<Import> read_nsys_stats(Source& source, input::Problems& problems) {
  return NsysStatsReading(source, problems).run();
}

}  // namespace jostle::calibration
