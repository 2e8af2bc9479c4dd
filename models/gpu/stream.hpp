// A stream of a context that shares the GPU in space: its batches, the kernel that is next, and its account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "models/gpu/activity.hpp"
#include "models/gpu/batches.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/timed_kernels.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

struct Stream {
  std::size_t context = 0, group = 0, process = 0;
  space::StreamSpec spec;
  int number = 0;  // in the group's dispatcher
  sim::Duration per_launch;
  Batches batches;
  bool has_batch = false;                     // `kernel` is a place in the oldest one
  std::uint32_t kernel = 0;                   // the one on the GPU, or the next
  bool on_gpu = false;                        // its kernel stands in the line or runs
  sim::Time launched = sim::Time::never();    // when the next kernel has been launched; never: not known
  sim::Duration front_end;                    // time of the front end for the next kernel, still to pass
  sim::Time ready = sim::Time::never();       // when it joins the line; never: not in this turn
  sim::Time free_since = sim::Time::never();  // end of its last kernel; never: it has had none
  sim::Time launched_all;                     // when the host was last through with its oldest batch
  std::shared_ptr<TimedKernels> kernels;      // kernels of the oldest batch
  const TimedKernel* timed = nullptr;         // the kernel on the GPU
  std::optional<sim::Time> began;             // the kernel's first block, for the observer
  std::uint64_t unseen = 0;                   // batches that are finished but not yet seen by the host
  // Account.
  bool executing = false;  // its kernel runs now, or refills caches
  Resident resident;       // shares of its kernel, while it executes
  Running booked;
  double counted = 0;  // fraction of the kernel on the GPU that is booked
  sim::Time since;     // `booked` holds up to here

  // The kernel that it runs, or runs next, in its oldest batch.
  [[nodiscard]] const Kernel& kernel_in_hand() const {
    return on_gpu ? timed->kernel : batches.front().given->kernels[kernel];
  }
  // The next kernel is that at `kernel` of the oldest batch.
  void wait_for_kernel() {
    launched = ready = sim::Time::never();
    const bool by_itself = !batches.empty() && batches.front().kernel_by_kernel;
    front_end = by_itself ? per_launch : sim::Duration::zero();
  }
  void book(const Running& more, sim::Time now) {
    booked.total += more.total;
    booked.used += more.used;
    since = now;
  }
};

}  // namespace jostle::gpu
