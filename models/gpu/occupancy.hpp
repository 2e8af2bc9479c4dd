// How many blocks of a kernel an SM holds, and what follows from it: waves, and the state a preemption saves.
#pragma once

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// Blocks of `kernel` resident on one SM: the least of what its block slots, threads, registers and shared
// memory allow, warps being whole (CUDA programming guide, "Hardware Multithreading"); at least 1.
[[nodiscard]] int blocks_per_sm(const Spec& gpu, const Kernel& kernel);

// Rounds in which the blocks pass over the SMs; at least 1.
[[nodiscard]] int waves(const Spec& gpu, const Kernel& kernel);

// Sets what the grid alone says of `kernel`: sm_active and occupancy. B blocks, of w warps each, with R on an
// SM at a time, pass over n SMs in W = ceil(B / (R n)) waves of equal length; the block scheduler gives
// blocks to the SMs in turn, so that the last wave, of T blocks, reaches min(T, n) of them:
//   sm_active = ((W - 1) n + min(T, n)) / (W n)        occupancy = B w / (W n · warps that an SM holds)
// (waves and tails: CUDA C++ Best Practices Guide, "Thread and Block Heuristics"; achieved occupancy as in
// Nsight Compute, over all SMs).
void fill_residency(const Spec& gpu, Kernel& kernel);

// Registers and shared memory of the blocks resident at one time, in bytes.
[[nodiscard]] double resident_state_bytes(const Spec& gpu, const Kernel& kernel);

// The cost of taking the GPU away from `kernel` (null: from between two kernels): the base, and saving and
// restoring the resident state.
[[nodiscard]] sim::Duration expiry_cost(const Spec& gpu, const Kernel* kernel);

// The extra execution time a context owes when it comes back after an expiry: it starts anew, and refills
// what its kernels had cached, if they touch memory at all.
[[nodiscard]] sim::Duration cache_refill_after_expiry(const Spec& gpu, const KernelSequence& kernels);

// What the GPU does for `cache_refill` of that before `kernel`, whose blocks are resident and wait for
// memory.
[[nodiscard]] Usage usage_of_refill(const Kernel& kernel, sim::Duration cache_refill);

// How long `kernel`, with `done` of its duration behind it, still runs once its turn is over, by the
// granularity of preemption.
[[nodiscard]] sim::Duration drain_after_expiry(const Spec& gpu, const Kernel& kernel, sim::Duration done);

}  // namespace jostle::gpu
