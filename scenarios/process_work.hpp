// From an entry of a scenario to the work of one of its batches, on the engines it is placed on.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "calibration/profile/profile.hpp"
#include "models/dnn/kernel_tables.hpp"
#include "models/dnn/network.hpp"
#include "models/process/spec.hpp"
#include "scenarios/scenario.hpp"

namespace jostle::scenarios {

// The clocks that the power mode and the scenario set.
struct SetClocks {
  std::vector<double> clusters_hz;
  double gpu_hz = 0;
  double dla_hz = 0;
  double emc = 1;     // what the memory gives, of what it does at its full clock
  double memory = 1;  // and the GPU of that, at its own clock
};

struct WorkContext {
  const calibration::Profile& profile;
  const board::DeviceSpec& device;  // as the power mode leaves it
  const dnn::KernelTables& tables;
  const SetClocks& clocks;
  std::size_t cpus = 1;  // cores that processes may use unless they name their own
};

// Fills in kernels, segments or host work; spec.runtime is set. Throws RunError for what cannot be simulated.
void set_work(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context);

// The entry's network, if it has one.
[[nodiscard]] std::optional<dnn::Network> network_of(const ProcessEntry& entry);

// Threads that compute a process of this entry; 0 where it is not placed on the CPU.
[[nodiscard]] std::size_t threads_of(const ProcessEntry& entry, std::size_t cpus);

}  // namespace jostle::scenarios
