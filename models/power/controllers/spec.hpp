// What a board's own protection is: its over-current alarms, its thermal path and trips. Watts are those at
// the module's input, all of which become heat.
#pragma once

#include <optional>
#include <vector>

#include "sim/time.hpp"

namespace jostle::power {

// An alarm raised by the sensor at the module's input, and what it does to the clocks.
struct OverCurrentAlarm {
  double threshold_w = 0;
  // The sensor compares the means over successive blocks of this length, as an INA3221 does its averaged
  // conversions; not above zero: every reading.
  sim::Duration averaging;
  // Of clock pulses let through while it lasts, in (0, 1]: 1 - throttle depth. In the device tree's words
  // (nvidia,gpu-throt-level) "low" is a depth of 50 %, "medium" 75 %, "high" 85 %.
  double ratio = 1;
  sim::Duration release;  // it lasts so long after the last reading above the threshold
};
// The under-voltage alarm (Orin's OC1) is left out: supplies are taken to be sound.
struct OverCurrentSpec {
  double input_v = 0;                             // 0: not known, so limits in amperes mean nothing
  std::optional<OverCurrentAlarm> average;        // Orin's OC2, the WARN limit of Xavier NX
  std::optional<OverCurrentAlarm> instantaneous;  // Orin's OC3, the CRIT limit of Xavier NX
};
// Thresholds that a power mode sets in place of the board's.
struct OverCurrentLimits {
  std::optional<double> average_a, instantaneous_a;
};

// One stage of a Foster network: the temperature falls by `resistance` x watts across it in steady state,
// which it approaches with the time constant resistance x capacity. A fan changes the resistance alone.
struct ThermalStage {
  double resistance_k_per_w = 0;          // with the fan at full speed
  double resistance_without_k_per_w = 0;  // with no fan, or with one that stands still
  double capacity_j_per_k = 0;            // of heat
};
// The fan's speed, as a share of the highest, over the temperature: on straight lines between the points,
// flat outside.
struct FanPoint {
  double celsius = 0, share = 0;
};
struct ThermalSpec {
  std::vector<ThermalStage> stages;         // from the chip outwards
  std::vector<FanPoint> fan_curve;          // ascending; empty: at full speed
  double passive_c = 0;                     // trip: clocks go down
  double hysteresis_k = 0;                  // they may rise again when so far below
  std::optional<double> critical_c;         // trip: the board shuts down; absent: it never does
  sim::Duration polling = sim::seconds(1);  // of the kernel's governor; the fan follows it too
};

// Chosen in the scenario, not a property of a board: no Jetson has such a controller of its own.
struct PowerCapSpec {
  double budget_w = 0;
  sim::Duration window;      // that the mean is kept over
  double hysteresis = 0.05;  // clocks rise only if the mean is below budget x (1 - hysteresis)
};

}  // namespace jostle::power
