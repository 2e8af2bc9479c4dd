// What a memory is: how much it holds, what each process takes of it, and what it delivers at each clock.
#pragma once

#include <optional>
#include <vector>

namespace jostle::memory {

// What a process of a runtime holds before it has a network: the CUDA context, the libraries and the heap.
struct ContextSpec {
  double process_bytes = 0;  // each process by itself
  double gpu_bytes = 0;      // of those, what the driver allocates for the GPU: tools tell it as "GPU memory"
  double shared_bytes = 0;   // libraries that all processes of the runtime share: the first brings them in
};

// What happens when an allocation finds no room.
enum class WhenFull {
  fail,    // the process ends, the others run
  reboot,  // the whole board goes down
};

struct Spec {
  double capacity_bytes = 0;  // usable by processes and system together
  double system_bytes = 0;    // held by the idle system
  double page_bytes = 0;      // granule of what the GPU's driver allocates
  WhenFull when_full = WhenFull::fail;
  // One memory for CPU and GPU, as on a Jetson. Otherwise this is the card's, and what a process holds on its
  // host is no part of it.
  bool unified = true;
  double interference = 0;  // see memory::Sharing; where it is unified

  double max_clock_hz = 0;             // EMC
  std::vector<double> clock_table_hz;  // ascending; empty: the clock is fixed
  // Of the share of the peak that is reached at the full clock, what is reached at each clock of the table;
  // empty: all of it.
  std::vector<double> clock_efficiency;
};

// What the memory delivers at `clock_hz`, as a share of what it does at its full clock: proportional to the
// clock and to clock_efficiency, which lies on straight lines between the table's clocks. 1 where the clock
// is not known.
[[nodiscard]] double relative_bandwidth(const Spec& spec, double clock_hz);

}  // namespace jostle::memory
