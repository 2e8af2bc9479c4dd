// The identity of a machine, as its kernel tells it: cores, clocks, caches, scheduler, GPU, sensors, power
// modes.
//
// Nothing in it names the machine or its owner: no host name, serial number, address or path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/probe/board_state.hpp"
#include "input/csv.hpp"

namespace jostle::calibration::probe {

// Cores that share a clock, a capacity and a last-level cache.
struct CpuCluster {
  std::vector<int> cpus = {};           // the kernel's numbers, ascending
  std::string core = {};                // "Cortex-A78AE", or the model name of an x86; empty: not told
  int capacity = 0;                     // 1024: the fastest core of the machine; 0: not told
  double max_mhz = 0, min_mhz = 0;      // 0: there is no cpufreq
  std::vector<double> clocks_mhz = {};  // ascending; empty: not told
  std::string governor = {};            // empty: there is no cpufreq
  double cache_bytes = 0;               // the largest cache that a core has for itself; 0: not told
  double shared_cache_bytes = 0;        // the largest that it shares with other cores; 0: none

  friend bool operator==(const CpuCluster&, const CpuCluster&) = default;
};

// The GPU. What the driver alone can tell is filled in by the parts that open it.
struct GpuIdentity {
  bool present = false;
  std::string absent_because = {};  // a sentence, if it is not
  std::string name = {};
  bool integrated = false;  // shares its memory with the CPU
  int sms = 0;
  int capability = 0;  // 87 for compute capability 8.7; 0: not told
  double max_mhz = 0, memory_mhz = 0;
  std::vector<double> clocks_mhz = {};  // ascending
  double memory_bytes = 0, l2_bytes = 0;
  int bus_bits = 0;
  std::string driver = {};
  double power_limit_w = 0;

  friend bool operator==(const GpuIdentity&, const GpuIdentity&) = default;
};

struct Rail {
  std::string name = {};    // "VDD_IN"
  std::string sensor = {};  // "ina3221"

  friend bool operator==(const Rail&, const Rail&) = default;
};

struct Identity {
  std::string architecture = {};  // the processor's: "aarch64", "x86_64"
  std::string board = {};         // model of the device tree; empty on a PC
  std::string compatible = {};    // of the device tree, most specific first, separated by spaces
  std::string kernel = {};        // "5.15.148-tegra"
  std::string l4t = {};           // "R36 (release), REVISION: 4.3"
  std::string policy = {};        // of the scheduler, as profiles name it: cfs, eevdf
  double tick_hz = 0;             // CONFIG_HZ; 0: not told
  int cores_online = 0, cores_present = 0;
  bool smt = false;         // a core runs several threads at once
  bool hypervisor = false;  // the machine is virtual, so its clocks and caches may be shared
  bool emulated = false;    // the processor is of another architecture than the program that read this
  double memory_bytes = 0;
  std::vector<CpuCluster> clusters = {};
  GpuIdentity gpu;
  std::vector<double> emc_mhz = {};  // clocks of the memory controller, ascending; empty: not told
  std::vector<Rail> rails = {};
  std::string power_mode = {};  // name in nvpmodel.conf
  std::vector<std::string> power_modes = {};

  friend bool operator==(const Identity&, const Identity&) = default;
};

// Reads the identity. What the files do not tell stays empty.
[[nodiscard]] Identity read_identity(const MachineFiles& files);

// The parts of it: cores, their clocks and caches; the GPU as far as /proc, /sys and /dev tell; sensors.
[[nodiscard]] std::vector<CpuCluster> read_clusters(const MachineFiles& files);
[[nodiscard]] GpuIdentity find_gpu(const MachineFiles& files);
[[nodiscard]] std::vector<Rail> read_rails(const MachineFiles& files);
// Names of the power modes, and the present one: an index, absent if it is not told.
struct PowerModes {
  std::vector<std::string> names = {};
  std::optional<std::size_t> present;
};
[[nodiscard]] PowerModes read_power_modes(const MachineFiles& files);

// True if programs of this architecture, as uname() calls it, are translated where /proc/cpuinfo has this
// text: an x86 processor alone has a vendor_id there, an ARM one alone an implementer.
[[nodiscard]] bool is_emulated(std::string_view architecture, std::string_view cpuinfo);

// One word for the machine: two probes of one board agree in it, in any state. Clocks, cores online, power
// mode and versions are no part of it.
[[nodiscard]] std::string board_key(const Identity& identity);

// The rows of identity.csv: key and value. What is not told has no row.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> identity_rows(const Identity& identity);
[[nodiscard]] std::string identity_csv(const Identity& identity);
// The inverse. Throws CsvError for an unknown key, and for a value that the key cannot have.
[[nodiscard]] Identity parse_identity(const input::CsvTable& table);

}  // namespace jostle::calibration::probe
