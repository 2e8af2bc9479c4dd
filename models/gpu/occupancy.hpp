// Occupancy: the number of blocks of a kernel that an SM holds. It determines the waves, and the state that a
// preemption saves.
#pragma once

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// Blocks of `kernel` resident on one SM: the minimum of the numbers that block slots, threads, registers and
// shared memory allow, with whole warps (CUDA programming guide, "Hardware Multithreading"); at least 1.
[[nodiscard]] int blocks_per_sm(const Spec& gpu, const Kernel& kernel);

// The blocks that are launched for `kernel` on so many SMs: a library sizes the grid of a persistent one by
// the SMs that its process may use (evidence/h100-shares/kernels.csv).
[[nodiscard]] std::uint32_t grid_on(const Spec& gpu, const Kernel& kernel, int sms);

// Number of waves in which the blocks run on the SMs, or on `sms` of them; at least 1.
[[nodiscard]] int waves(const Spec& gpu, const Kernel& kernel);
[[nodiscard]] int waves(const Spec& gpu, const Kernel& kernel, int sms);

// Sets sm_active, working, occupancy and the waves of `kernel` from its grid. In its fixed share no block is
// resident yet. In the rest r of the duration B blocks (tiles, of a persistent kernel with more of them) of w
// warps each, with R of them on an SM at a time, run on n SMs in W = ceil(B / (R n)) waves of equal length.
// The block scheduler assigns blocks to the SMs in turn, so the last wave, of T blocks, uses min(T, n) of
// them:
//   sm_active = r ((W - 1) n + min(T, n)) / (W n)    occupancy = r B w / (W n · warps that an SM holds)
// (waves and tails: CUDA C++ Best Practices Guide, "Thread and Block Heuristics"; achieved occupancy as in
// Nsight Compute, over all SMs).
void fill_residency(const Spec& gpu, Kernel& kernel);

// Registers and shared memory of the blocks that are resident at the same time, in bytes.
[[nodiscard]] double resident_state_bytes(const Spec& gpu, const Kernel& kernel);

// The cost of preempting `kernel` (null: between two kernels): the base cost, plus saving and restoring the
// resident state.
[[nodiscard]] sim::Duration expiry_cost(const Spec& gpu, const Kernel* kernel);

// The extra execution time of a context when it gets the GPU back after an expiry: restart, and refilling the
// caches if its kernels touch memory at all.
[[nodiscard]] sim::Duration cache_refill_after_expiry(const Spec& gpu, const KernelSequence& kernels);

// The usage of the GPU during `cache_refill` before `kernel`, whose blocks are resident and wait for memory.
[[nodiscard]] Usage usage_of_refill(const Kernel& kernel, sim::Duration cache_refill);

// The time that `kernel`, executed for `done`, still runs after the slice has expired. It depends on the
// preemption granularity.
[[nodiscard]] sim::Duration drain_after_expiry(const Spec& gpu, const Kernel& kernel, sim::Duration done);

}  // namespace jostle::gpu
