// Energy of a board over a while in which no clock changes: a sum of its activities, each with its price.
//
// Since dynamic energy is proportional to integrals that the simulation keeps anyway (busy cores, SM-seconds,
// bytes), whoever accounts for it reads them before a clock changes, and never per event.
#pragma once

#include <vector>

#include "models/power/spec.hpp"

namespace jostle::power {

struct ClusterActivity {
  double hz = 0;
  double pulses = 1;       // let through, of a clock faster by as much, whose voltage it has
  int online = 0;          // cores
  double busy_core_s = 0;  // of all its cores together
};

// What happened, and the clocks it happened at.
struct Activity {
  double seconds = 0;
  std::vector<ClusterActivity> clusters;
  int sms = 0;  // that have power
  double gpu_hz = 0, emc_hz = 0, dla_hz = 0;
  double gpu_pulses = 1;  // as of a cluster
  double gpu_busy_s = 0, gpu_gated_s = 0;
  // Seconds, each weighted with the share of the whole GPU that was used (gpu::Usage).
  double working_s = 0, tensor_s = 0;
  double gpu_dram_bytes = 0, dram_bytes = 0;  // by the GPU; by everybody
  int dlas = 0;
  double dla_busy_s = 0;  // of all DLAs together
};

// Joules by part. Leakage as at `celsius`.
[[nodiscard]] PerPart energy_of(const Spec& spec, const Activity& activity, double celsius);

[[nodiscard]] double sum_of(const PerPart& parts);
// What the rail's sensor sees of `parts`.
[[nodiscard]] double on_rail(const Rail& rail, const PerPart& parts);
// At the plug, where at the module's input there is `watts`.
[[nodiscard]] double at_wall(const Spec::Wall& wall, double watts);

}  // namespace jostle::power
