// What a board draws, part by part: voltages over clocks, switched capacitances, leakage, bytes moved; and
// which of it its sensors see. Nothing else in the models knows watts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/power/controllers/spec.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

// Where power goes. `loss` is what the module's regulators turn into heat, `base` everything that no clock
// and no activity of ours changes.
enum class Part : std::uint8_t { cpu, gpu, dla, soc, dram, base, loss };
inline constexpr std::array<std::string_view, 7> part_names{"cpu",  "gpu",  "dla", "soc",
                                                            "dram", "base", "loss"};
inline constexpr std::size_t part_count = part_names.size();
using PerPart = std::array<double, part_count>;  // W, or J

struct VoltagePoint {
  double hz = 0, volts = 0;
};
// Ascending in both; on straight lines between the points, flat outside.
using VoltageCurve = std::vector<VoltagePoint>;
[[nodiscard]] double voltage_at(const VoltageCurve& curve, double hz);

// Dynamic power is C V^2 f (C in farads, effective: the share that switches is in it). Leakage, in W, is that
// at the highest voltage of the domain's curve and the reference temperature; it goes with the cube of the
// voltage and grows with the temperature (Spec::leakage_growth_k).
struct CpuSpec {
  VoltageCurve voltage;    // of each cluster
  double core_f = 0;       // of a core that executes
  double idle_core_f = 0;  // of a core that is online and waits
  double leakage_w = 0;    // of a core that is online
};
struct GpuSpec {
  VoltageCurve voltage;
  double clock_tree_f = 0;   // of an SM that has power, and of its share of what the SMs have in common
  double busy_f = 0;         // more, while a kernel executes anywhere on the GPU
  double sm_f = 0;           // of an SM whose warps get on (gpu::Kernel::working)
  double tensor_f = 0;       // of an SM whose tensor pipes are always busy, beyond sm_f
  double byte_j = 0;         // a byte moved from or to DRAM: caches and crossbar, at the lowest voltage
  double leakage_w = 0;      // of an SM that has power
  double gated_after_s = 0;  // idle for so long it loses power, unless clocks are pinned; 0: never
};
struct DlaSpec {
  VoltageCurve voltage;
  double busy_f = 0, idle_f = 0;  // of one DLA
  double leakage_w = 0;           // of one
};
// The rest of the chip: its voltage follows the EMC's clock.
struct SocSpec {
  VoltageCurve voltage;  // over the EMC's clock
  double base_w = 0;     // at the lowest voltage; goes with its square
  double clock_f = 0;    // switched with the EMC's clock
  double byte_j = 0;     // the memory controller's, at the lowest voltage
};
struct DramSpec {
  double base_w = 0;          // at any clock
  double clock_w_per_hz = 0;  // more, with the EMC's clock
  double byte_j = 0;
};

// A sensor and what it sees.
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
  // Of the regulators behind the module's input: `loss` is P (1 / efficiency - 1) of cpu, gpu, dla and soc.
  double efficiency = 1;
  double reference_c = 45;       // temperature that leakage is given at
  double leakage_growth_k = 60;  // it grows e-fold in so many kelvin
  std::string input;             // name of the sensor of all parts together, "VDD_IN"; empty: none, their sum
  std::vector<Rail> rails;       // other sensors
  // The plug: the module's input through the carrier board and the power supply.
  struct Wall {
    double base_w = 0, efficiency = 1;
  };
  std::optional<Wall> wall;
  ScalingSpec scaling;
  // The board's own protection; absent: it has none, or none that is known.
  std::optional<OverCurrentSpec> over_current;
  std::optional<ThermalSpec> thermal;
};

}  // namespace jostle::power
