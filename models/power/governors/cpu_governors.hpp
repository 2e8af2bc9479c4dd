// The governors of a cluster's clock (cpufreq), a row each. To add one, write its rule in a file of its own
// and add its row to the table in cpu_governors.cpp.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

// The activity of a cluster since the last poll.
struct CpuReading {
  sim::Duration elapsed;
  double hz = 0;                 // its clock
  std::span<const double> busy;  // share of time that each online core was busy
  // By online core: the highest estimated demand of its runnable threads since the last poll, as a share of
  // its capacity at the hardware's maximum clock.
  std::span<const double> estimated = {};
};

struct CpuGovernor {
  // Returns the clock to request: an entry of the table, or its upper limit. Keeps what it knows of the past.
  using Rule = std::function<double(const OppTable&, const CpuReading&)>;

  std::string_view name;  // as in scaling_available_governors
  // Makes the rule of a cluster with this maximum clock of the hardware (the limits of the table are those of
  // the power mode). Null: the governor leaves the clock where it starts.
  Rule (*rule)(const CpuSettings&, double hardware_max_hz) = nullptr;
  double (*start)(const OppTable&, const CpuSettings&) = [](const OppTable& table, const CpuSettings&) {
    return table.lowest();
  };
  bool reads_estimates = false;  // reads CpuReading::estimated
};

// All of them, in the order of messages and schemas.
[[nodiscard]] std::span<const CpuGovernor> cpu_governors();

// The cpufreq policy of a cluster: a governor and its table of clocks. A value type that is polled. The
// caller reads the cores, applies the clock and models the delay until it takes effect.
class CpuScaling {
 public:
  CpuScaling(const CpuGovernor& governor, OppTable table, double hardware_max_hz,
             const CpuSettings& settings = {})
      : start_hz_(governor.start(table, settings)), table_(std::move(table)) {
    if (governor.rule == nullptr) return;
    interval_ = settings.interval;
    rule_ = governor.rule(settings, hardware_max_hz);
  }

  // Zero: this governor never changes the clock by itself.
  [[nodiscard]] sim::Duration interval() const { return interval_; }
  [[nodiscard]] double start() const { return start_hz_; }
  // The clock to request.
  double poll(const CpuReading& reading) { return rule_ ? rule_(table_, reading) : start_hz_; }

 private:
  double start_hz_;
  OppTable table_;
  sim::Duration interval_;
  CpuGovernor::Rule rule_;
};

}  // namespace jostle::power
