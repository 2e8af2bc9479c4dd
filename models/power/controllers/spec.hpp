// Parameters of a board's own protection: over-current alarms, thermal path and trip points. Watts are
// measured at the module's input; all of them become heat.
#pragma once

#include <optional>
#include <vector>

#include "sim/time.hpp"

namespace jostle::power {

// An alarm of the sensor at the module's input, and its effect on the clocks.
struct OverCurrentAlarm {
  double threshold_w = 0;
  // The sensor compares the means over successive blocks of this length with the threshold, as an INA3221
  // does with its averaged conversions. Zero or less: it compares every reading.
  sim::Duration averaging;
  // Share of clock pulses that pass while the alarm is active, in (0, 1]: 1 - throttle depth. In the device
  // tree (nvidia,gpu-throt-level) "low" is a depth of 50 %, "medium" 75 %, "high" 85 %.
  double ratio = 1;
  sim::Duration release;  // the alarm stays active for this time after the last reading above the threshold
};
// Over-current alarms. The under-voltage alarm (Orin's OC1) is not modelled: supply voltages are assumed to
// be sufficient.
struct OverCurrentSpec {
  double input_v = 0;                             // 0: not known, so limits in amperes cannot be converted
  std::optional<OverCurrentAlarm> average;        // Orin's OC2, the WARN limit of Xavier NX
  std::optional<OverCurrentAlarm> instantaneous;  // Orin's OC3, the CRIT limit of Xavier NX
};
// Thresholds of a power mode, in amperes; those that are set replace the board's.
struct OverCurrentLimits {
  std::optional<double> average_a, instantaneous_a;
};

// One stage of a Foster network: in steady state the temperature drops by `resistance` x watts across the
// stage; it approaches this drop with the time constant resistance x capacity. A fan changes the resistance
// only.
struct ThermalStage {
  double resistance_k_per_w = 0;          // with the fan at full speed
  double resistance_without_k_per_w = 0;  // without a fan, or with a fan that stands still
  double capacity_j_per_k = 0;            // heat capacity
};
// A point of the fan curve: the fan's speed, as a share of its maximum, at a temperature. Interpolated
// linearly, constant outside.
struct FanPoint {
  double celsius = 0, share = 0;
};
struct ThermalSpec {
  std::vector<ThermalStage> stages;         // from the chip to the air
  std::vector<FanPoint> fan_curve;          // ascending; empty: always full speed
  double passive_c = 0;                     // trip point: clocks are lowered
  double hysteresis_k = 0;                  // clocks may rise again this far below the trip point
  std::optional<double> critical_c;         // trip point: the board shuts down; absent: it never does
  sim::Duration polling = sim::seconds(1);  // interval of the kernel's governor and the fan
};

// The power limit that a card enforces itself (models/power/controllers/power_limit.hpp).
struct PowerLimitSpec {
  double budget_w = 0;
  double min_w = 0;  // the lowest budget that the card accepts
  sim::Duration window, period;
  double gain = 0;   // extra watts allowed per watt that the mean is below the budget
  double burst = 1;  // the most allowed in a period, relative to the budget
};

// Keeps the mean power within a budget that a scenario chooses.
struct PowerCapSpec {
  double budget_w = 0;
  sim::Duration window;  // the mean over this time is kept within the budget
};

}  // namespace jostle::power
