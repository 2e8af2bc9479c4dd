// Reads tegrastats: one line per sample, in the formats of L4T 28 to 36.
//
//   07-26-2026 15:53:43 RAM 2557/7620MB (lfb 109x4MB) SWAP 0/3810MB (cached 0MB) CPU [0%@1728,off]
//   EMC_FREQ 0%@3199 GR3D_FREQ 45%@[1016,0] APE 200 cpu@51.062C VDD_IN 5750mW/5700mW
//
// The first of a rail's two numbers is momentary, the second a mean since the start, in mW with or without
// the unit. Clocks are in MHz. Samples are averaged by GPU load, so that the busy part of the log can be
// separated from the rest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "calibration/readers/formats.hpp"
#include "calibration/readers/log_text.hpp"
#include "calibration/readers/moments.hpp"
#include "input/counted.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t max_quantities = 200;  // the file determines the names of rails and zones
constexpr std::size_t max_foreign = 1000;    // limit on lines before the first sample
constexpr double no_sensor = -200;           // reading of zones that are not powered is -256 degC

struct Quantity {
  std::string metric, unit;
  Moments whole, current,
      best;  // over all samples; over the current stretch; over the longest stretch so far
};

// Consecutive samples with a GPU load above half of the highest load, with gaps of at most two samples.
struct Stretch {
  std::int64_t samples = 0;
  int first = 0, last = 0;  // line numbers
  Moments load;
};
constexpr int longest_gap = 2;
constexpr double least_busy = 30;  // %: below this load no part of a log can be identified as the run
// A load counts as the highest if this many consecutive samples reach it, so a spike does not.
constexpr std::size_t sustained = 3;

// The name of a reading at its position in the line, and its quantity. Lines are similar, so a reading is
// first looked up at its position in the previous line.
struct Slot {
  std::string name;
  char kind = 0;
  std::size_t quantity = 0;
};

class TegrastatsReading {
 public:
  TegrastatsReading(Source& source, input::Problems& problems) : source_(source), problems_(problems) {}

  std::vector<Import> run() {
    std::string_view line;
    while (wrong_.empty() && source_.next_line(line)) read(line);
    if (wrong_.empty()) wrong_ = source_.failure();
    if (!wrong_.empty()) {
      source_.fail(problems_, source_.line(), wrong_);
      return {};
    }
    if (samples_ == 0 || foreign_ > samples_ + 10) {
      source_.fail(problems_, 0,
                   samples_ == 0 ? "the file contains no line of tegrastats"
                                 : fmt::format("only {} of {} lines are output of tegrastats", samples_,
                                               samples_ + foreign_));
      return {};
    }
    return {import()};
  }

 private:
  void read(std::string_view line) {
    const std::size_t start = line.substr(0, 64).find("RAM ");
    if (start == std::string_view::npos || (start > 0 && line[start - 1] != ' ')) {
      if (line.find_first_not_of(' ') != std::string_view::npos) ++foreign_;
      if (samples_ == 0 && foreign_ > max_foreign) wrong_ = "the file contains no line of tegrastats";
      return;
    }
    values_.clear();
    load_ = 0;
    position_ = 0;
    has_cpu_ = false;
    const bool whole = read_sample(line.substr(start)) && has_cpu_;
    if (source_.unterminated() && (!whole || values_.size() < last_values_)) {
      notes_.emplace_back("the last line is truncated and was ignored");
      return;
    }
    if (!whole) {
      if (wrong_.empty())
        wrong_ = "a sample is incomplete: was it truncated, or did two programs write the log?";
      return;
    }
    ++samples_;
    last_values_ = values_.size();
    for (const auto& [quantity, value] : values_) quantities_[quantity].whole.add(value);
    follow_load();
  }

  void follow_load() {
    recent_[samples_ % sustained] = load_;
    if (const double together = std::ranges::min(recent_);
        samples_ >= sustained && together > highest_load_) {
      highest_load_ = together;
      // Samples that counted as busy may be idle compared with this one.
      if (current_.load.mean <= highest_load_ / 2) drop_current();
      if (best_.load.mean <= highest_load_ / 2) best_ = {};
    }
    if (load_ > highest_load_ / 2) {
      gap_ = 0;
      if (current_.samples == 0) current_.first = source_.line();
      ++current_.samples;
      current_.last = source_.line();
      current_.load.add(load_);
      for (const auto& [quantity, value] : values_) quantities_[quantity].current.add(value);
    } else if (current_.samples > 0 && ++gap_ > longest_gap) {
      end_stretch();
    }
  }

  void end_stretch() {
    if (current_.samples > best_.samples) {
      best_ = current_;
      for (Quantity& quantity : quantities_) quantity.best = quantity.current;
    }
    drop_current();
  }

  void drop_current() {
    current_ = {};
    for (Quantity& quantity : quantities_) quantity.current = {};
  }

  // Reads names and their values, up to the end of the line.
  bool read_sample(std::string_view rest) {
    while (!rest.empty()) {
      const std::string_view word = take_word(rest);
      if (word.empty()) continue;
      if (word.front() == '(') {
        skip_bracket(word, rest);
        continue;
      }
      const std::size_t at = word.find('@');
      if (at != std::string_view::npos && at > 0 && word.back() == 'C') {
        if (!read_temperature(word.substr(0, at), word.substr(at + 1, word.size() - at - 2))) return false;
        continue;
      }
      if (rest.empty() || !read_reading(word, rest)) return false;
    }
    return true;
  }

  static std::string_view take_word(std::string_view& rest) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
  }

  // Skips a bracket such as "(lfb 109x4MB)".
  static void skip_bracket(std::string_view word, std::string_view& rest) {
    while (word.find(')') == std::string_view::npos && !rest.empty()) word = take_word(rest);
  }

  // Reads the value that follows a name; returns false if the value is invalid.
  bool read_reading(std::string_view name, std::string_view& rest) {
    const std::string_view before = rest;
    const std::string_view value = take_word(rest);
    if (value == "off" || value.empty()) return true;
    if (value.front() == '[') return read_cores(value);
    if (value.front() == '@') return name_is_gpu(name) ? read_clocks(value.substr(1), "gpu_clock") : true;
    std::string_view number = value;
    const auto first = take_figure(number);
    if (!first) {
      rest = before;  // "MTS fg 0%": the first word has no value
      return name == "MTS";
    }
    if (number.empty()) return true;  // "APE 200", "NVENC 716": clocks of other engines
    if (number.front() == '%') return read_load(name, *first, number.substr(1));
    if (number.starts_with("mW/") || number.front() == '/') return read_pair(name, *first, number, rest);
    return false;
  }

  static bool name_is_gpu(std::string_view name) { return name == "GR3D_FREQ" || name == "GR3D"; }

  bool read_load(std::string_view name, double percent, std::string_view clock) {
    const bool gpu = name_is_gpu(name), emc = name == "EMC_FREQ" || name == "EMC";
    if (!gpu && !emc) return true;
    if (percent < 0 || percent > 1000) return false;
    if (gpu) load_ = percent;
    if (!add(gpu ? "gpu_load" : "emc_load", 'l', percent)) return false;
    if (clock.empty()) return true;
    return clock.front() == '@' && read_clocks(clock.substr(1), gpu ? "gpu_clock" : "emc_clock");
  }

  // Reads a clock such as "921" or, for a GPU with parts that may be gated, the highest of "[305,0]".
  bool read_clocks(std::string_view text, std::string_view metric) {
    double highest = 0;
    const bool list = text.starts_with('[');
    if (list) text.remove_prefix(1);
    for (;;) {
      const auto clock = take_figure(text);
      if (!clock || *clock < 0 || *clock > 1e5) return false;
      highest = std::max(highest, *clock);
      if (!list || !text.starts_with(',')) break;
      text.remove_prefix(1);
    }
    if (text != (list ? "]" : "")) return false;
    return highest == 0 || add(metric, 'c', highest);
  }

  // Reads the loads and clocks of cores: "[7%@1728,off,...]".
  bool read_cores(std::string_view text) {
    text.remove_prefix(1);
    std::int64_t cores = 0, online = 0, clocked = 0;
    double load = 0, clock = 0;
    for (;;) {
      ++cores;
      if (text.starts_with("off")) {
        text.remove_prefix(3);
      } else {
        const auto percent = take_figure(text);
        if (!percent || !text.starts_with('%') || *percent < 0 || *percent > 100) return false;
        text.remove_prefix(1);
        load += *percent;
        ++online;
        if (text.starts_with('@')) {
          text.remove_prefix(1);
          const auto megahertz = take_figure(text);
          if (!megahertz || *megahertz < 0 || *megahertz > 1e5) return false;
          clock += *megahertz;
          ++clocked;
        }
      }
      if (!text.starts_with(',')) break;
      text.remove_prefix(1);
    }
    if (text != "]" || online == 0 || cores > 1024) return false;
    if (cores_ != 0 && cores != cores_) {
      wrong_ = fmt::format("{} cores where lines before have {}: two boards in one log", cores, cores_);
      return false;
    }
    cores_ = cores;
    has_cpu_ = true;
    const auto n = static_cast<double>(online);
    return add("cpu_load", 'p', load / n) && add("cores_online", 'n', n) &&
           (clocked == 0 || add("cpu_clock", 'c', clock / static_cast<double>(clocked)));
  }

  // Reads a pair: "2557/7620MB", "0/252kB(lfb 252kB)", "5750mW/5700mW" or "2532/2698".
  bool read_pair(std::string_view name, double first, std::string_view text, std::string_view& rest) {
    const bool milliwatts = text.starts_with("mW");
    text.remove_prefix(milliwatts ? 3 : 1);
    const auto second = take_figure(text);
    if (!second || first < 0) return false;
    if (name == "RAM" || name == "SWAP") {
      if (text != "MB" && text != "kB") return false;
      const double megabytes = text == "kB" ? 1.0 / 1024 : 1;
      if (name == "RAM") memory_ = *second * megabytes * 1024 * 1024;
      return add(name == "RAM" ? "ram" : "swap", 'm', first * megabytes);
    }
    if (name == "IRAM") {
      skip_bracket(text, rest);
      return true;
    }
    if (text != (milliwatts ? "mW" : "")) return false;
    return add(name, 'w', first / 1000);
  }

  bool read_temperature(std::string_view zone, std::string_view text) {
    const auto degrees = figure(text);
    if (!degrees || *degrees > 1000 || *degrees < -1000) return false;
    return *degrees < no_sensor || add(zone, 't', *degrees);
  }

  bool add(std::string_view name, char kind, double value) {
    if (position_ == slots_.size()) slots_.emplace_back();
    Slot& slot = slots_[position_++];
    if (slot.name != name || slot.kind != kind) {
      const auto found = quantity_of(name, kind);
      if (!found) return false;
      slot = {std::string(name), kind, *found};
    }
    values_.emplace_back(slot.quantity, value);
    return true;
  }

  std::optional<std::size_t> quantity_of(std::string_view name, char kind) {
    std::string metric(name), unit;
    switch (kind) {
      case 'w':
        metric = power_metric(name);
        unit = "W";
        break;
      case 't':
        metric = "temperature_" + metric_word(name);
        unit = "degC";
        break;
      case 'm':
        unit = "MiB";
        break;
      case 'c':
        unit = "MHz";
        break;
      case 'n':
        unit = "cores";
        break;
      default:
        unit = "%";
    }
    const auto found = std::ranges::find(quantities_, metric, &Quantity::metric);
    if (found != quantities_.end()) return static_cast<std::size_t>(found - quantities_.begin());
    if (quantities_.size() == max_quantities || metric.size() > 100) {
      wrong_ = fmt::format("more than {} kinds of readings, or a name too long", max_quantities);
      return std::nullopt;
    }
    quantities_.push_back({std::move(metric), std::move(unit), {}, {}, {}});
    return quantities_.size() - 1;
  }

  static void add_row(Import& result, const Quantity& quantity, const Moments& moments, std::string of) {
    if (moments.count == 0) return;
    result.rows.push_back({.metric = quantity.metric,
                           .value = moments.mean,
                           .unit = quantity.unit,
                           .sd = moments.sd(),
                           .median = {},
                           .p90 = {},
                           .p99 = {},
                           .count = moments.count,
                           .of = std::move(of)});
  }

  Import import() {
    end_stretch();
    Import result{.format = "tegrastats",
                  .origin = source_.origin(),
                  .setting = {},
                  .rows = {},
                  .notes = std::move(notes_)};
    result.setting.tool = "tegrastats";
    result.setting.cores = cores_;
    if (memory_ > 0) result.setting.memory_bytes = memory_;
    const bool changes = highest_load_ >= least_busy && best_.samples > 0 &&
                         best_.samples < static_cast<std::int64_t>(samples_);
    for (const Quantity& quantity : quantities_)
      add_row(result, quantity, changes ? quantity.best : quantity.whole, "");
    if (changes) {
      result.notes.push_back(
          fmt::format("rows are over the longest busy stretch: {} of {} samples, lines {} to {}, with a GPU "
                      "load above half of {:g} "
                      "%; those over all samples are marked 'whole file'",
                      best_.samples, samples_, best_.first, best_.last, highest_load_));
      for (const Quantity& quantity : quantities_) add_row(result, quantity, quantity.whole, "whole file");
    }
    if (foreign_ > 0)
      result.notes.push_back(fmt::format("ignored {} that {}", input::counted(foreign_, "line"),
                                         foreign_ == 1 ? "is not a sample" : "are not samples"));
    return result;
  }

  Source& source_;
  input::Problems& problems_;
  std::string wrong_;
  std::vector<std::string> notes_;
  std::vector<Quantity> quantities_;
  std::vector<Slot> slots_;
  std::vector<std::pair<std::size_t, double>> values_;
  std::size_t position_ = 0, last_values_ = 0;
  double load_ = 0, highest_load_ = 0;
  std::array<double, sustained> recent_{};
  Stretch current_, best_;
  int gap_ = 0;
  std::size_t samples_ = 0, foreign_ = 0;
  std::int64_t cores_ = 0;
  double memory_ = 0;
  bool has_cpu_ = false;
};

}  // namespace

std::vector<Import> read_tegrastats(Source& source, input::Problems& problems) {
  return TegrastatsReading(source, problems).run();
}

}  // namespace jostle::calibration
