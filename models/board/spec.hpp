// What a board is: its CPU, GPU, DLAs and memory, what its runtimes cost, and the power modes that limit
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cpu/spec.hpp"
#include "models/dla/spec.hpp"
#include "models/dnn/host_layers.hpp"
#include "models/gpu/spec.hpp"
#include "models/memory/spec.hpp"
#include "models/power/spec.hpp"
#include "models/process/spec.hpp"

namespace jostle::board {

// Limits under one nvpmodel mode: what is absent is not limited by it.
struct PowerMode {
  std::string name;
  std::vector<int> online_cores;         // per cluster, the lowest-numbered; empty: all
  std::vector<double> cpu_max_clock_hz;  // per cluster; empty: the clusters' maxima
  std::optional<double> gpu_max_clock_hz;
  std::optional<int> tpcs;  // texture processing clusters left powered
  std::optional<double> emc_max_clock_hz;
  std::optional<double> dla_max_clock_hz;  // of each DLA
  // Governors do not go below these; controllers that protect the board do.
  std::vector<double> cpu_min_clock_hz;  // per cluster; empty: the lowest of their tables
  std::optional<double> gpu_min_clock_hz;
  power::OverCurrentLimits over_current;
};

// Speeds over what tables and roofs tell, for asking what if; of no board that exists.
struct SpeedFactors {
  double arithmetic = 1;  // of the GPU's kernels
  double memory = 1;      // of DRAM, for all who share it
};

struct DeviceSpec {
  std::string name;         // "jetson-orin-nano"
  std::string description;  // one line for people
  std::string evidence;     // names its measured kernel tables; empty: none
  cpu::Spec cpu;
  gpu::Spec gpu;  // no SMs: the board has none that computes
  int sms_per_tpc = 1;
  SpeedFactors what_if;
  dla::Spec dla;
  memory::Spec memory;
  std::optional<power::Spec> power;  // absent: nothing is known of it
  // Absent: the runtime does not exist on this device, or nothing is known of its costs.
  process::PerRuntime<std::optional<process::RuntimeSpec>> runtimes;
  process::PerRuntime<std::optional<memory::ContextSpec>> contexts;  // what a process of it holds
  dnn::HostRoofs host;         // of inference on the cores, where there is a runtime for it
  process::RuntimeSpec paced;  // of synthetic processes with a pace: bare launches, each by itself
  std::optional<process::ObserverSpec> nsys;  // absent: nothing is known of it here
  process::SyncSpec sync;
  process::RefillSpec refill;
  std::vector<PowerMode> power_modes;    // empty: everything at its maximum, always
  std::string default_power_mode;        // empty where there are none
  bool jetson_clocks_lifts_emc = false;  // pins the EMC at its highest clock, whatever the mode's limit

  [[nodiscard]] bool has_gpu() const { return gpu.sm_count > 0; }
  [[nodiscard]] int core_count() const {
    int count = 0;
    for (const cpu::ClusterSpec& cluster : cpu.clusters) count += cluster.cores;
    return count;
  }
};

// The power mode of that name, or null.
[[nodiscard]] const PowerMode* find_power_mode(const DeviceSpec& device, const std::string& name);

// Numbers of the cores that are online, ascending: those of the mode (null: all), cut to or filled up to
// `cores` with the lowest-numbered when that is given.
[[nodiscard]] std::vector<int> online_cpus(const DeviceSpec& device, const PowerMode* mode,
                                           std::optional<int> cores);

}  // namespace jostle::board
