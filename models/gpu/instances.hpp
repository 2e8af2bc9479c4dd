// Instances of a GPU: MIG (Multi-Instance GPU). Each has SMs, L2, copy engines and, on a card, memory of its
// own, and is a GPU to the processes in it; clocks and power are the card's. NVIDIA MIG user guide,
// "Partitioning", "Supported MIG Profiles".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu {

// A kind of instance that the driver offers.
struct InstanceKind {
  std::string name;         // "2g.20gb"
  int sms = 0;              // all of one compute instance
  double memory_bytes = 0;  // its own memory; 0: it shares that of the board
  int slices = 1;           // parts of L2, and of the memory's bandwidth if the memory is its own
  std::vector<int> starts;  // the first slice of each place that it can have
};

struct InstanceKinds {
  int slices = 1;                   // the whole GPU's
  std::vector<InstanceKind> kinds;  // empty: the GPU has no instances
};

// The kind with that name, or the first whose name has it before the dot: "1g". Null: there is none.
[[nodiscard]] const InstanceKind* find_instance(const InstanceKinds& offered, std::string_view name);

// True if instances of these kinds, in some order, have places that do not meet.
[[nodiscard]] bool fit_together(std::span<const InstanceKind* const> kinds);

// "1g.10gb (16 SMs, at most 7), 7g.80gb (132 SMs)".
[[nodiscard]] std::string in_words(const InstanceKinds& offered);

// The instance as a GPU.
[[nodiscard]] Spec instance_of(Spec gpu, const InstanceKinds& offered, const InstanceKind& kind);

// Kernels that were timed on `whole` as they run on an instance of it: blocks in waves on fewer SMs, bytes
// over its part of the bandwidth.
[[nodiscard]] KernelSequence on_instance(KernelSequence kernels, const Spec& whole, const Spec& instance);

}  // namespace jostle::gpu
