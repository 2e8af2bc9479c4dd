// Parameters of a board's power, part by part: voltage curves, switched capacitances, leakage, energy per
// byte; and the parts that its sensors measure. No other part of the models uses watts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/power/controllers/spec.hpp"
#include "models/power/controllers/voltage.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

// The parts that draw power. `loss` is the heat of the module's regulators. `base` is all power that depends
// neither on clocks nor, except for DRAM's traffic, on simulated activity.
enum class Part : std::uint8_t { cpu, gpu, dla, soc, dram, base, loss };
inline constexpr std::array<std::string_view, 7> part_names{"cpu",  "gpu",  "dla", "soc",
                                                            "dram", "base", "loss"};
inline constexpr std::size_t part_count = part_names.size();
using PerPart = std::array<double, part_count>;  // W, or J

// Dynamic power is C V^2 f. C is the effective capacitance in farads, so it includes the share that switches.
// Leakage, in W, is given at the highest voltage of the domain's curve and at the reference temperature; it
// is proportional to the cube of the voltage and grows with the temperature (Spec::leakage_growth_k).
struct CpuSpec {
  VoltageCurve voltage;    // curve of the one supply of all clusters: that of the highest of their clocks
  double core_f = 0;       // per core that executes
  double idle_core_f = 0;  // per core that is online and idle
  double leakage_w = 0;    // per core that is online
};
struct GpuSpec {
  VoltageCurve voltage;
  double clock_tree_f = 0;   // per powered SM, including its share of the SMs' common logic
  double busy_f = 0;         // in addition, while a kernel executes anywhere on the GPU
  double sm_f = 0;           // per SM whose warps make progress (gpu::Kernel::working)
  double tensor_f = 0;       // per SM whose tensor pipes are always busy, in addition to sm_f
  double issue_f = 0;        // per SM that issues an instruction in every slot, in addition to sm_f
  double warp_f = 0;         // per SM that holds as many warps as it can, in addition to sm_f
  double byte_j = 0;         // per byte moved from or to DRAM: caches and crossbar, at the lowest voltage
  double leakage_w = 0;      // per powered SM
  double gated_after_s = 0;  // powered off after being idle for this long, unless clocks are pinned; 0: never
  bool held_awake = false;   // never off while a process uses it: CUDA submits from user mode
};
struct DlaSpec {
  VoltageCurve voltage;
  double busy_f = 0, idle_f = 0;  // per DLA
  double operation_j = 0;         // per operation of its multipliers, in addition, at the lowest voltage
  double leakage_w = 0;           // per DLA
};
// The rest of the chip. Its voltage follows the EMC's clock.
struct SocSpec {
  VoltageCurve voltage;  // at the EMC's clock
  double base_w = 0;     // at the lowest voltage; proportional to the square of the voltage
  double clock_f = 0;    // switched with the EMC's clock
  double byte_j = 0;     // per byte, in the memory controller, at the lowest voltage
  double leakage_w = 0;
};
struct DramSpec {
  double base_w = 0;          // at any clock
  double clock_w_per_hz = 0;  // in addition, proportional to the EMC's clock
  double byte_j = 0;
};

// A sensor and the parts that it measures.
struct Rail {
  std::string name;  // "VDD_CPU_GPU_CV"
  std::vector<Part> parts;
};

struct Spec {
  CpuSpec cpu;
  GpuSpec gpu;
  DlaSpec dla;
  SocSpec soc;
  DramSpec dram;
  double base_w = 0;
  double base_byte_j = 0;  // per byte of DRAM traffic, on supplies that the sensors count to the base
  // Efficiency of the regulators behind the module's input: `loss` is P (1 / efficiency - 1) for cpu, gpu,
  // dla and soc.
  double efficiency = 1;
  double reference_c = 45;       // temperature at which leakage is given
  double leakage_growth_k = 40;  // leakage grows by a factor of e in this many kelvin
  std::string input;  // name of the sensor that measures all parts together, "VDD_IN"; empty: there is none,
                      // the parts are added
  std::vector<Rail> rails;  // other sensors
  // The plug: it feeds the module's input through the power supply and the carrier board.
  struct Wall {
    double base_w = 0, efficiency = 1;
  };
  std::optional<Wall> wall;
  ScalingSpec scaling;
  // The board's own protection; absent: it has none, or none is known.
  std::optional<OverCurrentSpec> over_current;
  std::optional<ThermalSpec> thermal;
  std::optional<PowerLimitSpec> limit;  // a card's own
};

}  // namespace jostle::power
