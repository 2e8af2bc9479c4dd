// Energy of a board over a time in which no clock changes: the sum of its activities, each with its energy
// cost.
//
// Dynamic energy is proportional to integrals that the simulation keeps anyway (busy core time, SM-seconds,
// bytes). So these are read before a clock changes, and not at every event.
#pragma once

#include <vector>

#include "models/power/spec.hpp"

namespace jostle::power {

struct ClusterActivity {
  double hz = 0;
  // Share of clock pulses that pass: the actual clock is `hz`, which sets the voltage, times this.
  double pulses = 1;
  int online = 0;          // cores
  double busy_core_s = 0;  // sum over all its cores
};

// The activity in a time, and the clocks at that time.
struct Activity {
  double seconds = 0;
  std::vector<ClusterActivity> clusters;
  int sms = 0;  // number of powered SMs
  double gpu_hz = 0, emc_hz = 0, dla_hz = 0;
  double gpu_pulses = 1;  // the same as for a cluster
  double gpu_busy_s = 0, gpu_gated_s = 0;
  // Seconds, each weighted with the share of the whole GPU that was used (gpu::Usage).
  double working_s = 0, tensor_s = 0, issue_s = 0, warps_s = 0;
  double gpu_dram_bytes = 0, dram_bytes = 0;  // by the GPU; in total
  int dlas = 0;
  double dla_busy_s = 0;      // sum over all DLAs
  double dla_operations = 0;  // also over all DLAs
};

// Joules by part. Leakage is computed at the temperature `celsius`.
[[nodiscard]] PerPart energy_of(const Spec& spec, const Activity& activity, double celsius);

[[nodiscard]] double sum_of(const PerPart& parts);
// The part of `parts` that the rail's sensor measures.
[[nodiscard]] double on_rail(const Rail& rail, const PerPart& parts);
// The value at the plug if the value at the module's input is `watts`.
[[nodiscard]] double at_wall(const Spec::Wall& wall, double watts);

}  // namespace jostle::power
