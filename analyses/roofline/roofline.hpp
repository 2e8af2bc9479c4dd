// The time and energy roofline of a device's GPU in its power modes, with networks placed on it (`jostle
// roofline`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"
#include "models/power/roofline.hpp"

namespace jostle::analyses {

struct RooflineQuestion {
  std::string device;                 // name or path, as in a scenario
  std::vector<std::string> modes;     // power modes; empty: all modes of the device
  std::vector<std::string> set;       // overrides of the scenario of each mode: "clocks.gpu=600 MHz"
  std::vector<std::string> networks;  // built-in names or .onnx files
  std::string precision = "fp16";
  std::int64_t batch = 1;
  bool training = false;
};

// A batch of a network on the GPU: its kernels back to back at the clocks of the mode, without host time.
struct PlacedNetwork {
  std::string model;
  std::string problem;  // reason why it cannot be placed: "does not fit into memory"; else empty
  double flop = 0;      // operations of its matrix products, without padding
  double bytes = 0;     // DRAM traffic, from the lowering
  double seconds = 0;
  std::optional<double> joules;  // energy of the board in that time, with idle CPU cores
  std::string grade;             // grade of its kernel times

  [[nodiscard]] double intensity() const { return flop / bytes; }
  [[nodiscard]] double flop_per_s() const { return flop / seconds; }
  [[nodiscard]] std::optional<double> flop_per_j() const;
};

struct ModeRoofline {
  std::string mode;  // empty: the device has no power modes
  double gpu_hz = 0, emc_hz = 0;
  int sms = 0, cores = 0;
  power::Roofline roofs;
  std::vector<PlacedNetwork> networks;  // in the order of the question
};

struct RooflineAnswer {
  std::string device, description, profile_hash;
  std::string precision;  // the requested precision
  std::string computed;   // precision that the GPU uses; another one if it does not support the requested one
  bool tensor_cores = false;
  std::int64_t batch = 1;
  bool training = false;
  std::string runtime;  // runtime of the placed kernels
  bool power_known = false;
  std::optional<std::string> power_grade;  // of all watts and energies; absent if power is not known
  std::vector<ModeRoofline> modes;
};

// The answer; none, with problems, if the question is invalid. The kernels are those of TensorRT if the
// device has it, else of a framework; training always uses a framework. Throws RunError if it cannot be
// simulated.
[[nodiscard]] std::optional<RooflineAnswer> roofline(const RooflineQuestion& question,
                                                     input::Problems& problems);

}  // namespace jostle::analyses
