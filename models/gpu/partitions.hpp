// Partitions of the SMs within a process: green contexts (CUDA driver API 12.4, "Green Contexts"). The
// streams of a partition run on its SMs only, and no other partition runs there. L2, DRAM, clocks and power
// stay shared.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jostle::gpu {

struct Spec;

// A partition as a context knows it. Contexts of one process with the same `id` share it.
struct SmPartition {
  std::uint32_t id = 0;
  int sms = 0;
};

// The sizes that a partition can have, in SMs: at least `least`, a multiple of `multiple`
// (cuDevSmResourceSplitByCount). What is left of the GPU may have any size.
struct PartitionSizes {
  int least = 1, multiple = 1;
};

// "sm_90" -> 90; 0 if the name has another form.
[[nodiscard]] int capability(std::string_view architecture);

// None: the boards with this architecture have no driver with green contexts (Jetsons before Orin).
[[nodiscard]] std::optional<PartitionSizes> partition_sizes(const Spec& gpu);

// `sms` rounded up to a size that a partition can have.
[[nodiscard]] int partition_for(const PartitionSizes& sizes, int sms);

}  // namespace jostle::gpu
