// Reads jtop's CSV log: a header with the quantities that jtop shows ("CPU1", "GPU", "Temp CPU", "power
// cur"), then one row per sample; or one sample as lines of "key, value"; or tegrastats output that scripts
// have converted, with headers of their own.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"
#include "calibration/logs/measurement.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t max_columns = 500;
constexpr double no_zone = -200;  // zones that are not powered read -256 degC

enum class JtopKind { passed_over, core, gpu, emc, memory, temperature, power, pinned, mode };

struct JtopColumn {
  JtopKind kind = JtopKind::passed_over;
  std::string metric;
  Moments moments;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

JtopColumn column_of(const std::string& header) {
  const std::string name = lower(header);
  const auto digits_after = [&name](std::string_view prefix) {
    const auto rest = after(name, prefix);
    return rest && !rest->empty() && rest->find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (digits_after("cpu") || digits_after("cpu_util_core_")) return {JtopKind::core, "cpu_load", {}};
  if (name == "gpu" || name == "gpu_utilization" || name == "gpu1") return {JtopKind::gpu, "gpu_load", {}};
  if (name == "ram" || name == "ram_usage") return {JtopKind::memory, "ram", {}};
  if (name == "jetson_clocks") return {JtopKind::pinned, "", {}};
  if (name == "nvp model") return {JtopKind::mode, "", {}};
  if (const auto zone = after(name, "temp "))
    return {JtopKind::temperature, "temperature_" + metric_word(*zone), {}};
  if (name.ends_with("_temperature"))
    return {JtopKind::temperature, "temperature_" + metric_word(name.substr(0, name.size() - 12)), {}};
  // Versions 2 and 3 of jtop have the total of all rails, momentary and average; version 4 has each rail, and
  // TOT.
  if (name == "power cur" || name == "power tot") return {JtopKind::power, "power", {}};
  if (name == "power avg" || name.starts_with("power avg")) return {};
  if (const auto rail = after(header, "Power ")) return {JtopKind::power, power_metric(*rail), {}};
  if (name.ends_with("_power_inst"))
    return {JtopKind::power, "power_" + metric_word(name.substr(0, name.size() - 11)), {}};
  return {};
}

const char* unit_of(JtopKind kind) {
  if (kind == JtopKind::memory) return "MiB";
  if (kind == JtopKind::temperature) return "degC";
  return kind == JtopKind::power ? "W" : "%";
}

class JtopReading {
 public:
  JtopReading(Source& source, input::Problems& problems) : source_(source), problems_(problems) {}

  std::vector<Import> run() {
    std::string_view line;
    while (wrong_.empty() && source_.next_line(line)) {
      if (trimmed(line).empty()) continue;
      // A number at the end of a truncated line may lack digits.
      if (source_.unterminated() && !header_.empty()) {
        notes_.emplace_back("the last line is truncated and was ignored");
        break;
      }
      if (!split_fields(line, fields_)) {
        wrong_ = "a quote is not closed";
      } else if (header_.empty()) {
        read_header();
      } else {
        read_row();
      }
    }
    if (wrong_.empty()) wrong_ = source_.failure();
    if (wrong_.empty() && by_key_) finish_sample();
    if (wrong_.empty() && samples_ == 0) wrong_ = "the file contains no sample";
    Import result = import();
    if (wrong_.empty() && result.rows.empty()) wrong_ = "the file contains no number";
    if (wrong_.empty()) return {std::move(result)};
    source_.fail(problems_, source_.line(), wrong_);
    return {};
  }

 private:
  void read_header() {
    if (fields_.size() > max_columns) {
      wrong_ = fmt::format("more than {} columns", max_columns);
      return;
    }
    header_ = fields_;
    by_key_ = fields_.size() == 2 && lower(fields_[0]).find("key") != std::string::npos;
    if (by_key_) return;
    for (const std::string& name : header_) add_column(name);
    // On Thor jtop's total is the sum of all rails, that of the input among them.
    if (std::ranges::find(header_, "Power VIN") != header_.end())
      for (std::size_t i = 0; i < header_.size(); ++i)
        if (lower(header_[i]) == "power tot") columns_[i] = {};
    if (std::ranges::none_of(columns_,
                             [](const JtopColumn& column) { return column.kind != JtopKind::passed_over; }))
      wrong_ = "the header has no column of jtop";
  }

  void add_column(const std::string& name) {
    columns_.push_back(column_of(name));
    if (columns_.back().metric.size() > 100) wrong_ = "a column name is too long";
  }

  void read_row() {
    if (by_key_) {
      if (fields_.size() != 2 || columns_.size() == max_columns) {
        wrong_ = "expected a key and a value";
        return;
      }
      add_column(fields_[0]);
      row_.push_back(fields_[1]);
      return;
    }
    if (fields_.size() != header_.size()) {
      wrong_ = fmt::format("{} fields where the header has {}", fields_.size(), header_.size());
      return;
    }
    row_.swap(fields_);
    finish_sample();
  }

  void finish_sample() {
    Moments cores;
    for (std::size_t i = 0; i < columns_.size() && wrong_.empty(); ++i)
      read_value(columns_[i], row_[i], cores);
    if (cores.count > 0) load_.add(cores.mean);
    ++samples_;
  }

  void read_value(JtopColumn& column, std::string_view text, Moments& cores) {
    if (column.kind == JtopKind::passed_over || text.empty()) return;
    if (column.kind == JtopKind::mode) {
      mode_ = std::string(text.substr(0, 100));
      return;
    }
    if (column.kind == JtopKind::pinned) {
      pinned_ = lower(text) == "on" || lower(text) == "true" || text == "1" || lower(text) == "running";
      return;
    }
    if (lower(text) == "off" || text == "None") return;
    std::string_view rest = text;
    const auto number = take_number(rest);
    if (!number || (*number < 0 && column.kind != JtopKind::temperature)) {
      wrong_ = fmt::format("'{}' is not a number", input::printable(std::string(text)));
      return;
    }
    if (column.kind == JtopKind::temperature && *number < no_zone) return;
    if (column.kind == JtopKind::core) {
      cores.add(*number);
    } else if (column.kind == JtopKind::memory) {
      read_memory(column, *number, rest);
    } else {
      column.moments.add(column.kind == JtopKind::power ? *number / 1000 : *number);
    }
  }

  // Reads "11283/62841MB"; kB in jtop 2 and 3; a share of the total in jtop 4.
  void read_memory(JtopColumn& column, double number, std::string_view rest) {
    if (rest.starts_with('/') && rest.ends_with("MB")) {
      rest = rest.substr(1, rest.size() - 3);
      if (const auto all = parse_number(rest)) memory_ = *all * 1024 * 1024;
      column.moments.add(number);
    } else if (number > 1) {
      column.moments.add(number / 1024);
    } else {
      column.metric = "ram_load";
      column.moments.add(number * 100);
    }
  }

  Import import() {
    Import result{.format = "jtop", .origin = source_.origin(), .notes = std::move(notes_)};
    Setting& setting = result.setting;
    setting.tool = "jtop";
    setting.power_mode = mode_;
    setting.pinned = pinned_;
    if (memory_ > 0) setting.memory_bytes = memory_;
    const auto add = [&result](std::string metric, const char* unit, const Moments& moments) {
      if (moments.count == 0) return;
      result.rows.push_back({.metric = std::move(metric),
                             .value = moments.mean,
                             .unit = unit,
                             .sd = moments.sd(),
                             .count = moments.count});
    };
    add("cpu_load", "%", load_);
    for (const JtopColumn& column : columns_)
      add(column.metric, column.metric == "ram_load" ? "%" : unit_of(column.kind), column.moments);
    result.notes.emplace_back(
        "means are over all samples, because jtop's log does not contain the start of the run");
    return result;
  }

  Source& source_;
  input::Problems& problems_;
  std::string wrong_, mode_;
  std::optional<bool> pinned_;
  std::vector<std::string> fields_, header_, row_, notes_;
  std::vector<JtopColumn> columns_;
  Moments load_;
  std::int64_t samples_ = 0;
  double memory_ = 0;
  bool by_key_ = false;
};

}  // namespace

std::vector<Import> read_jtop(Source& source, input::Problems& problems) {
  return JtopReading(source, problems).run();
}

}  // namespace jostle::calibration
