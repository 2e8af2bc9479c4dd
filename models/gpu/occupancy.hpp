// How many blocks of a kernel an SM holds, and what follows from it: waves, and the state a preemption saves.
#pragma once

#include "models/dnn/kernel.hpp"
#include "models/gpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// Blocks of `kernel` resident on one SM: the least of what its block slots, threads, registers and shared
// memory allow (CUDA programming guide, "Hardware Multithreading"); at least 1.
[[nodiscard]] int blocks_per_sm(const Spec& gpu, const dnn::Kernel& kernel);

// Rounds in which the blocks pass over the SMs; at least 1.
[[nodiscard]] int waves(const Spec& gpu, const dnn::Kernel& kernel);

// Registers and shared memory of the blocks resident at one time, in bytes.
[[nodiscard]] double resident_state_bytes(const Spec& gpu, const dnn::Kernel& kernel);

// The cost of taking the GPU away from `kernel` (null: from between two kernels): the base, and saving and
// restoring the resident state.
[[nodiscard]] sim::Duration expiry_cost(const Spec& gpu, const dnn::Kernel* kernel);

// The extra execution time a context owes when it comes back after an expiry: it starts anew, and refills
// what its kernels had cached, if they touch memory at all.
[[nodiscard]] sim::Duration cold_after_expiry(const Spec& gpu, const dnn::KernelSequence& kernels);

// How long `kernel`, with `done` of its duration behind it, still runs once its turn is over, by the
// granularity of preemption.
[[nodiscard]] sim::Duration drain_after_expiry(const Spec& gpu, const dnn::Kernel& kernel,
                                               sim::Duration done);

}  // namespace jostle::gpu
