// The SM partitions of a scenario (`sm_partition`, gpu/partitions.hpp) on a GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/gpu/partitions.hpp"
#include "models/gpu/spec.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

// The partition of each part of a process. Sizes are rounded up to what the GPU can give; a `rest` has what
// the others leave, and is one partition, however many parts share it. Parts without one have all SMs.
[[nodiscard]] std::vector<std::optional<gpu::SmPartition>> partitions_of(const ProcessEntry& process,
                                                                         const gpu::Spec& gpu);

// True if the process or one of its instances has a partition.
[[nodiscard]] bool has_partitions(const ProcessEntry& process);

// The problem with the partitions of a process on this GPU; empty: none. Without a problem,
// partitions_of() gives each partition at least one SM.
[[nodiscard]] std::string problem_of_partitions(const ProcessEntry& process, const gpu::Spec& gpu);

// Sentences for the user of partitions: which are larger than requested.
[[nodiscard]] std::vector<std::string> partition_warnings(const Scenario& scenario, const gpu::Spec& gpu);

}  // namespace jostle::scenarios
