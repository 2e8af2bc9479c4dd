// Reads summaries of `nsys stats`: one CSV or TSV (cuda_api_sum, cuda_gpu_kern_sum, osrt_sum, nvtx_sum,
// cuda_gpu_mem_*_sum); the text output with all of them, where lines of dashes give the column widths; tables
// between bars; and the text that `nsys profile --stats=true` printed in 2019 and 2020, whose sections say
// the unit in their titles. Numbers of text may have thousands separators.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "calibration/logs/flat_json.hpp"
#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"
#include "calibration/logs/nsys_columns.hpp"
#include "calibration/logs/timed_calls.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t max_rows = 200'000;

bool is_cuda_call(std::string_view call) {
  return call.size() > 2 && call.starts_with("cu") &&
         (call.starts_with("cuda") || (call[2] >= 'A' && call[2] <= 'Z'));
}

std::string metric_of(const SummaryTable& table, std::string_view row) {
  if (table.unit->bytes) return "copy_size";
  if (table.name_header == "Range") return "range_time";
  if (table.name_header == "Operation" || row.starts_with("[CUDA ")) return "copy_time";
  if (table.count_header.ends_with("Calls")) return is_cuda_call(row) ? call_metric(row) : "os_call";
  return "kernel_time";
}

class NsysStatsReading {
 public:
  NsysStatsReading(Source& source, input::Problems& problems) : source_(source), problems_(problems) {}

  // The objects of a report as JSON, whose keys are the columns.
  std::vector<Import> run_objects() {
    for (const FlatObject& one : read_flat_objects(source_, problems_)) {
      if (!table_) table_ = table_of(one.keys(), nullptr);
      if (!table_)
        wrong_ = "the objects have no keys for count, mean and name: not a known report of nsys stats";
      fields_.clear();
      for (const std::string& key : one.keys()) fields_.push_back(one.text(key));
      if (wrong_.empty()) add_row();
      if (!wrong_.empty()) break;
    }
    if (wrong_.empty() && result_.rows.empty() && problems_.empty())
      wrong_ = "the file contains no summary of nsys stats";
    if (!wrong_.empty()) source_.fail(problems_, source_.line(), wrong_);
    if (!problems_.empty()) return {};
    return {finish()};
  }

  std::vector<Import> run() {
    std::string_view line;
    while (wrong_.empty() && source_.next_line(line)) {
      const std::string_view text = trimmed(line);
      if (is_nsys_heading(line)) {
        begin_table(line);
      } else if (text.empty() || text.starts_with("Processing [") || text.starts_with("** ")) {
        end_table(text);
      } else if (is_rule(text)) {
        if (form_ == Form::text && !table_) measure(line);
      } else if (table_ && !is_title(text)) {
        read_row(line);
      } else {
        end_table(text);
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
  enum class Form { csv, tsv, bars, text };

  // "-------  ------", "+------+------+", "|---|---:|"
  static bool is_rule(std::string_view text) {
    return text.find_first_not_of("-+|: ") == std::string_view::npos &&
           text.find("--") != std::string_view::npos;
  }

  // "CUDA Kernel Statistics (nanoseconds)", "CUDA Memory Operation Statistics (by size in KiB):"
  static bool is_title(std::string_view text) {
    return text.find(" Statistics") != std::string_view::npos &&
           (text.starts_with("CUDA ") || text.starts_with("Generating ") ||
            text.starts_with("Operating System") || text.starts_with("NVTX "));
  }

  void end_table(std::string_view text) {
    table_.reset();
    if (is_title(text)) titled_ = summary_unit(text);
  }

  void begin_table(std::string_view line) {
    table_.reset();
    const std::string_view text = trimmed(line);
    form_ = text.starts_with('|')                       ? Form::bars
            : line.find('\t') != std::string_view::npos ? Form::tsv
            : line.find(',') != std::string_view::npos  ? Form::csv
                                                        : Form::text;
    if (form_ == Form::text) {  // the line of dashes below gives the columns
      heading_ = std::string(line);
      return;
    }
    width_ = 0;
    if (split(line)) table_ = table_of(fields_, titled_);
    if (!table_)
      wrong_ = "a summary has no columns for count, mean and name: not a known report of nsys stats";
    else
      width_ = table_->width;
  }

  // Splits a line into fields; of a table, names may hold what separates the others.
  bool split(std::string_view line) {
    if (form_ == Form::csv) return split_fields(line, fields_);
    if (form_ == Form::text) {
      cut(line);
      return true;
    }
    const char separator = form_ == Form::tsv ? '\t' : '|';
    std::string_view rest = form_ == Form::tsv ? line : trimmed(line);
    if (form_ == Form::bars && rest.ends_with('|')) rest.remove_suffix(1);
    if (form_ == Form::bars && rest.starts_with('|')) rest.remove_prefix(1);
    fields_.clear();
    for (;;) {
      const std::size_t end =
          width_ > 0 && fields_.size() + 1 == width_ ? std::string_view::npos : rest.find(separator);
      fields_.emplace_back(trimmed(rest.substr(0, end)));
      if (end == std::string_view::npos) return true;
      rest.remove_prefix(end + 1);
    }
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
    if (heading_.empty()) return;
    cut_at_gaps(heading_);
    if (fields_.size() != spans_.size()) cut(heading_);
    heading_.clear();
    table_ = table_of(fields_, titled_);
  }

  // Cuts a heading at its gaps of two blanks, because names may stand beside their dashes.
  void cut_at_gaps(std::string_view line) {
    fields_.clear();
    for (std::string_view rest = trimmed(line); !rest.empty();) {
      const std::size_t end = std::min(rest.find("  "), rest.size());
      fields_.emplace_back(rest.substr(0, end));
      rest = trimmed(rest.substr(end));
    }
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

  // Cuts a row of text at its blanks, for one whose numbers are not below the dashes.
  void cut_at_blanks(std::string_view line) {
    fields_.clear();
    std::string_view rest = trimmed(line);
    while (!rest.empty() && fields_.size() + 1 < table_->width) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      fields_.emplace_back(rest.substr(0, end));
      rest = trimmed(rest.substr(end));
    }
    if (fields_.size() + 1 == table_->width) fields_.emplace_back(rest);
  }

  // True if the last column begins within a word, so that the row is not below the dashes.
  [[nodiscard]] bool cuts_a_word(std::string_view line) const {
    const std::size_t from = spans_.back().first;
    return from > 0 && from < line.size() && line[from - 1] != ' ';
  }

  [[nodiscard]] bool has_numbers() const {
    return fields_.size() == table_->width && grouped_number(fields_[*table_->at[count]]) &&
           grouped_number(fields_[*table_->at[mean]]);
  }

  void read_row(std::string_view line) {
    if (!split(line)) {
      wrong_ = "a quote is not closed";
      return;
    }
    if (form_ == Form::text && (!has_numbers() || cuts_a_word(line))) cut_at_blanks(line);
    add_row();
  }

  void add_row() {
    if (fields_.size() != table_->width) {
      wrong_ =
          fmt::format("{} fields where the header has {}: is it truncated?", fields_.size(), table_->width);
      return;
    }
    const auto number = [this](SummaryColumn column) -> std::optional<double> {
      return table_->at[column] ? grouped_number(fields_[*table_->at[column]]) : std::nullopt;
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
    const double scale = table_->unit->scale;
    const auto scaled = [scale](std::optional<double> value) {
      return value ? std::optional(*value * scale) : value;
    };
    std::string of = fields_[*table_->at[name]].substr(0, TimedCalls::max_name);
    if (of.empty()) of = "(unnamed)";
    std::string metric = metric_of(*table_, of);
    calls_ |= metric == "launch_call" || metric == "api_call";
    result_.rows.push_back({.metric = std::move(metric),
                            .value = *average * scale,
                            .unit = table_->unit->bytes ? "MB" : "us",
                            .sd = *calls > 1 ? scaled(number(sd)) : std::nullopt,
                            .median = scaled(number(median)),
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
  Form form_ = Form::csv;
  std::size_t width_ = 0;
  const SummaryUnit* titled_ = nullptr;
  bool calls_ = false;
  Import result_;
};

}  // namespace

std::vector<Import> read_nsys_stats(Source& source, input::Problems& problems) {
  const std::string_view head = trimmed(source.peek());
  const bool is_json = head.starts_with('[') || head.starts_with('{');
  NsysStatsReading reading(source, problems);
  return is_json ? reading.run_objects() : reading.run();
}

}  // namespace jostle::calibration
