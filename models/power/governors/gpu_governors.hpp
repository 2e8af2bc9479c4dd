// The governors of the GPU's clock (devfreq), a row each. To add one, write its rule in a file of its own and
// add its row to the table in gpu_governors.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "models/power/governors/gpu_reading.hpp"
#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

struct GpuGovernor {
  // Returns the clock to request, before table and limits; 0: keep the clock. Keeps what it knows of the
  // past.
  using Rule = std::function<double(const OppTable&, const GpuReading&)>;

  std::string_view name;  // as in devfreq's available_governors
  // Makes the rule. Null: the governor leaves the clock where it starts.
  Rule (*rule)(const GpuSettings&) = nullptr;
  double (*start)(const OppTable&, const GpuSettings&) = [](const OppTable& table, const GpuSettings&) {
    return table.lowest();
  };
};

// All of them, in the order of messages and schemas.
[[nodiscard]] std::span<const GpuGovernor> gpu_governors();

// The GPU's devfreq: a governor and its table of clocks. A value type that is polled. The caller reads the
// GPU, applies the clock and models the delay until it takes effect.
class GpuScaling {
 public:
  GpuScaling(const GpuGovernor& governor, OppTable table, const GpuSettings& settings = {})
      : start_hz_(governor.start(table, settings)), table_(std::move(table)) {
    if (governor.rule == nullptr) return;
    interval_ = settings.interval;
    rule_ = governor.rule(settings);
  }

  // Zero: this governor never changes the clock by itself.
  [[nodiscard]] sim::Duration interval() const { return interval_; }
  [[nodiscard]] double start() const { return start_hz_; }
  // The clock to request: an entry of the table, or its upper limit. Like the driver, the caller polls once
  // more with `suspended` when the GPU is powered off, and not while it is off.
  double poll(GpuReading reading) {
    reading.changed = changed_;
    const double wanted = rule_ ? rule_(table_, reading) : start_hz_;
    // While a controller holds the clock down, the request stays the same.
    const double as_it_is = reading.suspended ? reading.hz : std::max(reading.hz, wish_hz_);
    wish_hz_ = table_.at_least(wanted > 0 ? wanted : as_it_is);
    if (reading.suspended || (wanted > 0 && std::abs(wish_hz_ - reading.hz) >= 1)) changed_ = reading.now;
    return wish_hz_;
  }

 private:
  double start_hz_;
  double wish_hz_ = 0;  // the last requested clock
  OppTable table_;
  sim::Duration interval_;
  sim::Time changed_;
  GpuGovernor::Rule rule_;
};

}  // namespace jostle::power
