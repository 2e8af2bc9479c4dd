// The time and energy roofline of a device's GPU in its power modes, with networks placed on it: `jostle
// roofline`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"
#include "models/power/roofline.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

struct RooflineQuestion {
  std::string device;                 // as in a scenario
  std::vector<std::string> modes;     // power modes; none: all that the device has
  std::vector<std::string> set;       // over the scenario that each mode is: "clocks.gpu=600 MHz"
  std::vector<std::string> networks;  // built-in names or .onnx files
  std::string precision = "fp16";
  std::int64_t batch = 1;
  bool training = false;
};

// A batch of a network on the GPU: its kernels back to back, at the clocks of the mode, the host out of the
// way.
struct PlacedNetwork {
  std::string model;
  std::string problem;  // why it is not there: "does not fit into memory"; else empty
  double flop = 0;      // of its products, as published, before padding
  double bytes = 0;     // from and to DRAM, as the lowering counts them
  double seconds = 0;
  std::optional<double> joules;  // of the board in that time, its cores idle
  std::string grade;             // of its kernel times

  [[nodiscard]] double intensity() const { return flop / bytes; }
  [[nodiscard]] double flop_per_s() const { return flop / seconds; }
  [[nodiscard]] std::optional<double> flop_per_j() const;
};

struct ModeRoofline {
  std::string mode;  // empty: the device has none
  double gpu_hz = 0, emc_hz = 0;
  int sms = 0, cores = 0;
  power::Roofline roofs;
  std::vector<PlacedNetwork> networks;  // in the order asked for
};

struct RooflineAnswer {
  std::string device, description, profile_hash;
  std::string precision;  // as asked for
  std::string computed;   // what the GPU runs instead where it has no units of that precision
  bool tensor_cores = false;
  std::int64_t batch = 1;
  bool training = false;
  std::string runtime;  // whose kernels are placed
  bool power_known = false;
  std::vector<ModeRoofline> modes;
};

// None if `problems` grew. TensorRT's kernels are placed where the device has it, else a framework's; of
// training always a framework's. Throws RunError for what cannot be simulated.
[[nodiscard]] std::optional<RooflineAnswer> roofline(const RooflineQuestion& question,
                                                     input::Problems& problems);

}  // namespace jostle::analyses
