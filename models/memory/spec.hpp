// Parameters of a memory: its capacity, what each process allocates in it, and its bandwidth at each clock.
#pragma once

#include <optional>
#include <vector>

namespace jostle::memory {

// Memory that a process of a runtime holds without any network: the CUDA context, the libraries and the heap.
struct ContextSpec {
  double process_bytes = 0;  // private to each process
  double gpu_bytes = 0;  // the part of it allocated by the driver for the GPU; tools show it as "GPU memory"
  double shared_bytes = 0;  // libraries shared by all processes of the runtime: loaded by the first
};

// The consequence of a failed allocation.
enum class WhenFull {
  fail,    // the process ends, the others continue
  reboot,  // the whole board reboots
};

// Traffic of threads on the cores while the memory is free, in bytes/s. Every byte counts once: cores that
// write whole lines do not read them first (write streaming), so a byte written is a byte moved.
struct CoreTraffic {
  double read = 0, write = 0;  // one core
  double together = 0;         // all cores together
};

struct Spec {
  double capacity_bytes = 0;  // usable by processes and system together
  double system_bytes = 0;    // held by the idle system
  double page_bytes = 0;      // page size of the GPU driver's allocations
  WhenFull when_full = WhenFull::fail;
  // One memory for CPU and GPU, as on a Jetson. Otherwise this is the memory of the card, and what a process
  // holds on the host does not count.
  bool unified = true;
  double interference = 0;                // see memory::Sharing; used only if unified
  std::optional<CoreTraffic> cores = {};  // absent: unknown

  double max_clock_hz = 0;             // clock of the memory (EMC)
  std::vector<double> clock_table_hz;  // ascending; empty: the clock is fixed
  // Share of the peak that is reached at each clock of the table, relative to the share at the maximum clock;
  // empty: 1 everywhere.
  std::vector<double> clock_efficiency;
};

// The bandwidth at `clock_hz` relative to that at the maximum clock: proportional to the clock and to
// clock_efficiency, which is interpolated linearly between the clocks of the table. 1 if the clock is not
// known.
[[nodiscard]] double relative_bandwidth(const Spec& spec, double clock_hz);

}  // namespace jostle::memory
