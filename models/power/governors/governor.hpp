// A clock governor as a row of a table (cpu_governors.hpp, gpu_governors.hpp), and a clock domain with its
// governor.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

template <class Settings, class Reading>
struct Governor {
  // Takes a reading and returns the clock to request: an entry of the table, or its upper limit. The
  // function object holds the governor's state between polls.
  using Rule = std::function<double(const OppTable&, const Reading&)>;

  std::string_view name;  // the kernel's
  // Makes the rule of a domain with this maximum clock of the hardware (the limits of the table are those of
  // the power mode). Null: the governor leaves the clock where it starts.
  Rule (*rule)(const Settings&, double hardware_max_hz) = nullptr;
  double (*start)(const OppTable&, const Settings&) = [](const OppTable& table, const Settings&) {
    return table.lowest();
  };
  bool reads_estimates = false;  // reads the estimated demands of threads (CpuReading::estimated)
};

// A governor with the clocks of its domain. A value type that is polled. The caller reads the board, applies
// the clock and models the delay until it takes effect.
template <class Settings, class Reading>
class Scaling {
 public:
  Scaling(const Governor<Settings, Reading>& governor, OppTable table, const Settings& settings,
          double hardware_max_hz)
      : start_hz_(governor.start(table, settings)), table_(std::move(table)) {
    if (governor.rule == nullptr) return;
    interval_ = settings.interval;
    rule_ = governor.rule(settings, hardware_max_hz);
  }

  // Zero: this governor never changes the clock by itself.
  [[nodiscard]] sim::Duration interval() const { return interval_; }
  [[nodiscard]] double start() const { return start_hz_; }
  // The clock to request.
  double poll(const Reading& reading) { return rule_ ? rule_(table_, reading) : start_hz_; }

 private:
  double start_hz_;
  OppTable table_;
  sim::Duration interval_;
  typename Governor<Settings, Reading>::Rule rule_;
};

// The row of this name; null if there is none.
template <class Row>
[[nodiscard]] const Row* named(std::span<const Row> rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &Row::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace jostle::power
