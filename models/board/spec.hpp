// Parameters of a board: its CPU, GPU, DLAs and memory, the costs of its runtimes, and the power modes that
// limit it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/dla/spec.hpp"
#include "models/dnn/host_layers.hpp"
#include "models/gpu/instances.hpp"
#include "models/gpu/spec.hpp"
#include "models/llm/core_time.hpp"
#include "models/media/spec.hpp"
#include "models/memory/spec.hpp"
#include "models/power/spec.hpp"
#include "models/process/spec.hpp"
#include "sim/indirect.hpp"

namespace jostle::cpu {
struct Spec;
}

namespace jostle::board {

// Limits of one nvpmodel mode. A domain whose limit is absent is not limited by the mode.
struct PowerMode {
  std::string name;
  std::string jetpack = {};              // "6.2 Super": only that has it; empty: all have
  std::vector<int> online_cores;         // for each cluster, the lowest-numbered cores; empty: all
  std::vector<double> cpu_max_clock_hz;  // for each cluster; empty: the clusters' maximum
  std::optional<double> gpu_max_clock_hz;
  std::optional<int> tpcs;  // texture processing clusters that stay powered
  std::optional<double> emc_max_clock_hz;
  std::optional<double> dla_max_clock_hz;  // the same for each DLA
  // Governors respect these minimum clocks; controllers that protect the board override them.
  std::vector<double> cpu_min_clock_hz;  // for each cluster; empty: the lowest of its table
  std::optional<double> gpu_min_clock_hz;
  power::OverCurrentLimits over_current;
  // jetson_clocks pins the EMC at its highest clock, independent of the limit.
  bool jetson_clocks_lifts_emc = false;
};

// Speed factors on top of tables and rooflines, for what-if questions; 1 on every real board.
struct SpeedFactors {
  double arithmetic = 1;  // the speed of the GPU's kernels
  double memory = 1;      // the speed of DRAM, for all its users
};

struct DeviceSpec {
  std::string name;         // "jetson-orin-nano"
  std::string description;  // one line for the user
  std::string evidence;     // name of its measured kernel tables; empty: none
  std::string sibling;      // tables of a device with the same chip, for batches that only that has
  Indirect<cpu::Spec> cpu;
  gpu::Spec gpu;                 // no SMs: the board has no GPU for computing
  bool mps = true;               // its driver has the Multi-Process Service
  gpu::InstanceKinds instances;  // instances that its driver makes of the GPU (MIG)
  SpeedFactors what_if;
  dla::Spec dla;
  media::Spec engines;
  memory::Spec memory;
  std::optional<power::Spec> power;  // absent: not known
  // Absent: the runtime does not exist on this device, or its costs are not known.
  process::PerRuntime<std::optional<process::RuntimeSpec>> runtimes;
  process::PerRuntime<std::optional<memory::ContextSpec>> contexts;  // memory of a process
  process::PerRuntime<dnn::HostRoofs> host;  // for the runtimes on the cores, if they exist
  std::optional<llm::CoreRates> language;    // language models on the cores; absent: not known
  process::RuntimeSpec paced;  // costs of synthetic processes with a pace: bare launches, one by one
  std::optional<process::ObserverSpec> nsys;  // absent: not known for this device
  process::SyncSpec sync;
  process::LockSpec locks;
  process::FollowUpSpec follow_up;
  std::vector<PowerMode> power_modes;  // empty: everything is always at its maximum
  std::string default_power_mode;      // empty if there are none

  [[nodiscard]] bool has_gpu() const { return gpu.sm_count > 0; }
  [[nodiscard]] int core_count() const;
  // True if a power cap has clocks to step down: the GPU or the cores have a table.
  [[nodiscard]] bool lowers_clocks() const;
};

// True if a JetPack has both: nvpmodel can switch between them.
[[nodiscard]] bool together(const PowerMode& one, const PowerMode& other);
// The name, and the JetPack if not all have it: "40W (JetPack 6.2 Super)".
[[nodiscard]] std::string in_words(const PowerMode& mode);
// The power mode with that name, or null.
[[nodiscard]] const PowerMode* find_power_mode(const DeviceSpec& device, const std::string& name);

// Numbers of the online cores, ascending: those of the mode (null: all). If `cores` is given, the list is
// shortened, or extended with the lowest-numbered cores, to that length.
[[nodiscard]] std::vector<int> online_cpus(const DeviceSpec& device, const PowerMode* mode,
                                           std::optional<int> cores);
// The cores of `cpus` on which threads without affinity run: isolated cores and those of partitions only if
// there are no others.
[[nodiscard]] std::vector<int> shared_cpus(const DeviceSpec& device, const std::vector<int>& cpus);

}  // namespace jostle::board
