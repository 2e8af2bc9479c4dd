// The boards, networks and knobs of "energy knobs": a report on energy against clocks, governors and batches
// on Jetson Nano, Xavier NX and Orin NX, with PyTorch, 3 200 inferences a run.
//
// The report names no precision. On the Nano fp32 fits its times: at 76.8 MHz the fp32 peak is 20 GFLOP/s,
// and alexnet takes the 532 s of the claimed span. On Orin NX PyTorch computes convolutions in tf32 by
// default. Power modes are those that reach the clocks that the report lists: MAXN on Nano and Orin NX, and
// on Xavier NX a mode with two cores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/claims/statements.hpp"

namespace jostle::calibration {

struct KnobBoard {
  const char* name;  // name in the report
  const char* device;
  const char* mode;
  const char* precision;
  std::vector<double> cpu_mhz, gpu_mhz;  // the clocks of the sweep in the report
};
// Nano, Xavier NX, Orin NX.
[[nodiscard]] const std::vector<KnobBoard>& knob_boards();
[[nodiscard]] inline const KnobBoard& knob_nano() {
  return knob_boards()[0];
}
[[nodiscard]] inline const KnobBoard& knob_xavier() {
  return knob_boards()[1];
}
[[nodiscard]] inline const KnobBoard& knob_orin() {
  return knob_boards()[2];
}

// The six workloads, by the order of the report's panels.
inline constexpr std::array<const char*, 6> knob_models{"alexnet",     "resnet18",  "mobilenet_v2",
                                                        "yolov4_tiny", "bert_tiny", "distilbert"};

// The loop of the report takes the time of each batch, so it waits for a batch before it launches the next.
inline constexpr const char* waits_for_each_batch = "arrivals: {clients: 1}";

struct Knobs {
  std::string model = "alexnet";
  int batch = 16;
  std::optional<double> cpu_mhz = {}, gpu_mhz = {};  // absent: set by the governor
  std::string governors = {};                        // "{cpu: powersave}"
  std::optional<int> cores = {};
  std::string process = {};  // more keys of the process
};

// The time and energy of 3 200 inferences.
struct KnobRun {
  double seconds = 0, watts = 0;
  [[nodiscard]] double joules() const { return seconds * watts; }
};

[[nodiscard]] std::string knob_text(const KnobBoard& board, const Knobs& knobs);
[[nodiscard]] KnobRun knob_run(Runs& runs, const KnobBoard& board, const Knobs& knobs);

// A combination of clocks and its run. In a sweep the CPU clock varies in the outer loop.
struct KnobPoint {
  double cpu_mhz = 0, gpu_mhz = 0;
  KnobRun run;
};
[[nodiscard]] std::vector<KnobPoint> clock_sweep(Runs& runs, const KnobBoard& board, const Knobs& knobs);
// The same over one clock; `knobs` has the other.
[[nodiscard]] std::vector<KnobPoint> gpu_sweep(Runs& runs, const KnobBoard& board, const Knobs& knobs);
[[nodiscard]] std::vector<KnobPoint> cpu_sweep(Runs& runs, const KnobBoard& board, const Knobs& knobs);

// The percentage by which `value` exceeds `against`.
[[nodiscard]] inline double percent_more(double value, double against) {
  return 100 * (value / against - 1);
}

// The batch size of a network in the report: 16, but mobilenet_v2 8 on the Nano.
[[nodiscard]] int knob_batch(const KnobBoard& board, std::string_view model);

}  // namespace jostle::calibration
