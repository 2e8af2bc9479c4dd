// Kernels on a part of the SMs, as of an MPS client with a share of the threads.
#pragma once

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::gpu {

// `kernel`, whose times are those on all SMs of `gpu`, on `sms` of them. Libraries see only the SMs that their
// process may use and size grids and tiles by them, so a kernel gets longer without steps, by Amdahl's law:
// beyond what is fixed, the share `sm_bound` (SpaceSharing) of its time is in proportion to the work of an SM,
// the rest (filling and draining, what L2 and DRAM deliver) is not. A kernel of fewer blocks than SMs misses
// none beyond its blocks. Activity stays relative to all SMs; what is moved is unchanged.
[[nodiscard]] Kernel on_fewer_sms(const Spec& gpu, Kernel kernel, int sms);

// Share of the time of a kernel on `sms` SMs, beyond what is fixed, that is in proportion to the work of an SM.
[[nodiscard]] double share_of_sm_work(const Spec& gpu, const Kernel& kernel, int sms);

}  // namespace jostle::gpu
