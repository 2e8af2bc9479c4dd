// Reads tegrastats: one line per sample, in the formats of L4T 24 (TX1) to 39 (Thor).
//
//   07-26-2026 15:53:43 RAM 2557/7620MB (lfb 109x4MB) SWAP 0/3810MB (cached 0MB) CPU [0%@1728,off]
//   EMC_FREQ 0%@3199 GR3D_FREQ 45%@[1016,0] APE 200 cpu@51.062C VDD_IN 5750mW/5700mW
//
// A time stamp of any form may stand before RAM. The first number of a rail is momentary, the second a mean
// since the start, the third (JetPack 7) the peak, in mW with or without the unit; so are the two of a
// temperature. Clocks are in MHz, one for each core or one behind the bracket for all. Samples are averaged
// by GPU load, so that the busy part of the log can be separated from the rest; JetPack 7 prints no GPU load
// on Thor, where the GPU's rail stands in.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "calibration/logs/busy_stretch.hpp"
#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"
#include "calibration/logs/measurement.hpp"
#include "calibration/logs/tegrastats_line.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t max_sampled = 200;   // the file determines the names of rails and zones
constexpr std::size_t max_foreign = 1000;  // limit on lines before the first sample

constexpr double least_busy = 30;  // %: below this load no part of a log can be identified as the run
// W on the GPU's rail in place of that: Thor's idles at 0 to 6 W (published lines of JetPack 7).
constexpr double least_busy_watts = 10;

struct SampledQuantity {
  std::string metric, unit;
  Moments whole;
};

// The name of a reading at its position in the line, and its quantity. Lines are similar, so a reading is
// first looked up at its position in the previous line.
struct Slot {
  std::string name;
  char kind = 0;
  std::size_t quantity = 0;
};

class TegrastatsLog {
 public:
  TegrastatsLog(Source& source, input::Problems& problems) : source_(source), problems_(problems) {}

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
    const std::size_t start = tegrastats_start(line);
    if (start == std::string_view::npos) {
      if (line.find_first_not_of(' ') != std::string_view::npos) ++foreign_;
      if (samples_ == 0 && foreign_ > max_foreign) wrong_ = "the file contains no line of tegrastats";
      return;
    }
    const bool whole = line_.read(line.substr(start)) && line_.cores > 0;
    values_.clear();
    position_ = 0;
    for (const TegrastatsReading& reading : line_.readings)
      if (!add(reading.name, reading.kind, reading.value)) return;
    if (source_.unterminated() && (!whole || values_.size() < last_values_)) {
      notes_.emplace_back("the last line is truncated and was ignored");
      return;
    }
    if (!whole) {
      wrong_ = line_.stuck.empty()
                   ? "a sample has no CPU: was it truncated, or did two programs write the log?"
                   : fmt::format(
                         "a sample is incomplete or has an unknown part, '{}': was it truncated, or did two "
                         "programs write the log?",
                         input::printable(std::string(line_.stuck), 60));
      return;
    }
    if (cores_ != 0 && line_.cores != cores_) {
      wrong_ = fmt::format("{} cores where lines before have {}: two boards in one log", line_.cores, cores_);
      return;
    }
    cores_ = line_.cores;
    if (line_.memory > 0) memory_ = line_.memory;
    below_zero_ |= line_.below_zero;
    summed_ |= line_.summed;
    ++samples_;
    last_values_ = values_.size();
    for (const auto& [quantity, value] : values_) quantities_[quantity].whole.add(value);
    loads_.add(source_.line(), line_.load.value_or(0), values_);
    if (line_.load) ++with_load_;
    if (line_.gpu_watts) rail_.add(source_.line(), *line_.gpu_watts, values_);
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
    if (const auto known = index_of(metric)) return known;
    if (quantities_.size() == max_sampled || metric.size() > 100) {
      wrong_ = fmt::format("more than {} kinds of readings, or a name too long", max_sampled);
      return std::nullopt;
    }
    quantities_.push_back({std::move(metric), std::move(unit), {}});
    return quantities_.size() - 1;
  }

  [[nodiscard]] std::optional<std::size_t> index_of(std::string_view metric) const {
    const auto found = std::ranges::find(quantities_, metric, &SampledQuantity::metric);
    if (found == quantities_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - quantities_.begin());
  }

  static void add_row(Import& result, const SampledQuantity& quantity, const Moments& moments,
                      std::string of) {
    if (moments.count == 0) return;
    result.rows.push_back({.metric = quantity.metric,
                           .value = moments.mean,
                           .unit = quantity.unit,
                           .sd = moments.sd(),
                           .count = moments.count,
                           .of = std::move(of)});
  }

  Import import() {
    Import result{.format = "tegrastats", .origin = source_.origin(), .notes = std::move(notes_)};
    result.setting.tool = "tegrastats";
    result.setting.cores = cores_;
    if (memory_ > 0) result.setting.memory_bytes = memory_;
    const bool by_rail = with_load_ == 0;
    const SampledLoad& loads = by_rail ? rail_ : loads_;
    auto busy = loads.highest() >= (by_rail ? least_busy_watts : least_busy)
                    ? loads.busiest(index_of("gpu_clock"))
                    : std::nullopt;
    if (busy && busy->samples == static_cast<std::int64_t>(samples_)) busy.reset();
    if (busy) busy->values.resize(quantities_.size());
    for (std::size_t i = 0; i < quantities_.size(); ++i)
      add_row(result, quantities_[i], busy ? busy->values[i] : quantities_[i].whole, "");
    if (busy) {
      result.notes.push_back(note(*busy, loads.highest(), by_rail));
      for (const SampledQuantity& quantity : quantities_)
        add_row(result, quantity, quantity.whole, "whole file");
    } else if (by_rail) {
      result.notes.emplace_back(
          "the log has no GPU load (tegrastats of JetPack 7 prints none), so rows cover all samples: cut it "
          "to the run if it has more");
    }
    if (summed_)
      result.notes.emplace_back(
          "power: the sum of VDD_GPU_SOC, VDD_CPU_CV and VIN_SYS_5V0, the module's inputs; other rails are "
          "behind them");
    else if (!index_of("power") && std::ranges::any_of(quantities_, [](const SampledQuantity& quantity) {
               return quantity.metric.starts_with("power_");
             }))
      result.notes.emplace_back("no power: no rail of this board is the module's input");
    if (below_zero_)
      result.notes.emplace_back(
          "a rail read below zero, as its sensor does with nothing on it: taken as 0 W");
    if (foreign_ > 0)
      result.notes.push_back(fmt::format("ignored {} that {}", input::counted(foreign_, "line"),
                                         foreign_ == 1 ? "is not a sample" : "are not samples"));
    return result;
  }

  [[nodiscard]] std::string note(const SampledLoad::Stretch& busy, double highest, bool by_rail) const {
    const char* const unit = by_rail ? "W on the GPU's rail" : "%";
    std::string text = fmt::format(
        "rows are over the longest busy stretch: {} of {} samples, lines {} to {}, with {} above half of "
        "{:.3g} {}; those over all samples are marked 'whole file'",
        busy.samples, samples_, busy.first, busy.last, by_rail ? "power" : "a GPU load", highest, unit);
    if (busy.other_load.count > 0)
      text +=
          fmt::format("; {} beside it at another level ({:.3g} {}), such as an engine build, are left out",
                      input::counted(static_cast<std::size_t>(busy.other_load.count), "sample"),
                      busy.other_load.mean, unit);
    if (busy.lower_clock.count > 0)
      text += fmt::format(
          "; at the same load the GPU's clock changed, as where a board throttles: rows are at {:.0f} MHz, "
          "{} at {:.0f} MHz are left out",
          busy.clock.mean, input::counted(static_cast<std::size_t>(busy.lower_clock.count), "sample"),
          busy.lower_clock.mean);
    return text;
  }

  Source& source_;
  input::Problems& problems_;
  std::string wrong_;
  std::vector<std::string> notes_;
  std::vector<SampledQuantity> quantities_;
  std::vector<Slot> slots_;
  std::vector<std::pair<std::size_t, double>> values_;
  std::size_t position_ = 0, last_values_ = 0;
  TegrastatsLine line_;
  SampledLoad loads_, rail_;  // by the GPU's load; by the power of its rail
  std::size_t samples_ = 0, foreign_ = 0, with_load_ = 0;
  std::int64_t cores_ = 0;
  double memory_ = 0;
  bool below_zero_ = false, summed_ = false;
};

}  // namespace

std::vector<Import> read_tegrastats(Source& source, input::Problems& problems) {
  return TegrastatsLog(source, problems).run();
}

}  // namespace jostle::calibration
