// The experiments of the part `cpu`. Each adds parameters, files and problems to an outcome.
#pragma once

#include <vector>

#include "calibration/probe/identity.hpp"
#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {

// Where and for how long the experiments run.
struct CpuBench {
  const Session& session;
  std::vector<CpuCluster> clusters;  // with cores on which this process may run only; not empty
  double pace = 1;                   // of the seconds that an experiment takes; less than 1 with --quick

  // A core for a lone experiment: the last one of the first cluster, away from interrupts of devices.
  [[nodiscard]] int core() const { return clusters.front().cpus.back(); }
  // Another core: of the same cluster if it has one; -1 if there is none at all.
  [[nodiscard]] int other_core() const;
  // Every core.
  [[nodiscard]] std::vector<int> cores() const;
};
// The bench of this machine: clusters as the session's files tell, as far as this process may run there.
[[nodiscard]] CpuBench cpu_bench(const Session& session);

void measure_clocks(const CpuBench& bench, Outcome& outcome);        // clock and speed of each cluster
void measure_switch(const CpuBench& bench, Outcome& outcome);        // context_switch
void measure_wake_ups(const CpuBench& bench, Outcome& outcome);      // idle_state
void measure_slices(const CpuBench& bench, Outcome& outcome);        // stretches of hogs, tick
void read_scheduler_files(const CpuBench& bench, Outcome& outcome);  // what the kernel tells of its scheduler
void measure_preemption(const CpuBench& bench, Outcome& outcome);    // preempted and its time constant
void measure_speeds(const CpuBench& bench, Outcome& outcome);        // two_speeds
void measure_migration(const CpuBench& bench, Outcome& outcome);     // migrated_within, migrated_across

}  // namespace jostle::calibration::probe
