// The tight loop of the simulator: advances a context on the GPU, kernel by kernel, between two interactions,
// without any events.
#pragma once

#include <cstdint>

#include "models/gpu/gpu.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// A batch as seen by the GPU.
struct Batch {
  const KernelSequence* given = nullptr;
  const KernelSequence* kernels = nullptr;  // `given` itself, or re-timed to the rates of `epoch`
  std::uint64_t epoch = 0;
  bool kernel_by_kernel = false;  // launched kernel by kernel
  bool gated = false;             // must not start before its input has been copied
  LaunchPlan plan;                // only if kernel_by_kernel
  std::uint32_t launched =
      0;  // kernels known to be launched, only if kernel_by_kernel (the others follow from HostProgress)
};

// Progress of the oldest batch of a context.
struct Position {
  std::uint32_t next = 0;  // kernel_by_kernel: the kernel that is executing or the next one
  // kernel_by_kernel: time done of this kernel, including front-end time; otherwise: time done of the batch.
  sim::Duration into;
  sim::Duration launch_gap;  // remaining time in which no kernel executes (launch gap, wake-up of the GPU)
  // Remaining time in which a kernel executes without progress (caches refilled after an expiry).
  sim::Duration cache_refill;
};

enum class Stop : std::uint8_t {
  batch_done,
  out_of_work,  // the next kernel has not been launched
  limit,        // the time limit is reached
  starved,      // waits for a launch that will not happen in the current state; no limit
};

struct Advance {
  sim::Time at;
  Stop why = Stop::limit;
  Position position;
};

// Launch time of kernel `i` of `batch`: Time::zero() if it has been launched, Time::never() if the host is
// not working on it.
[[nodiscard]] inline sim::Time launch_time(const Batch& batch, const HostProgress& host, std::uint32_t i) {
  if (!batch.kernel_by_kernel || i < batch.launched) return sim::Time::zero();
  if (host.rate <= 0) return sim::Time::never();
  const sim::Duration ahead = batch.plan.first + batch.plan.each * (std::int64_t{i} + 1) - host.done;
  return ahead <= sim::Duration::zero() ? host.since : host.since + sim::time_for(ahead, host.rate);
}

// The earliest start of kernel `i` that the host allows: launched, and its input copied.
[[nodiscard]] inline sim::Time ready_time(const Batch& batch, const HostProgress& host, std::uint32_t i) {
  return batch.gated ? sim::Time::never() : launch_time(batch, host, i);
}

// Number of kernels of `batch` launched at `now`, whether or not the input has been copied.
[[nodiscard]] std::uint32_t launched_by(const Batch& batch, const HostProgress& host, sim::Time now);

struct Stretch {
  Position position;
  sim::Time from, limit;
  bool stop_when_idle;
};

// Advances from `position` at time `from` to the end of the batch or to `limit` (≥ from; never: no limit).
// Waits for future launches unless `stop_when_idle` is set. A kernel that ends at the limit is done; a kernel
// that is launched at the instant the previous one ends follows it directly.
[[nodiscard]] Advance advance(const Batch& batch, const HostProgress& host, sim::Duration per_launch,
                              const Stretch& stretch);

// The executed time of the batch's kernels.
[[nodiscard]] sim::Duration executed(const Batch& batch, sim::Duration per_launch, const Position& position);

// The kernel that is reached after `executed` time of the batch, and the executed time of that kernel.
struct Underway {
  std::uint32_t kernel = 0;
  sim::Duration done;
};
[[nodiscard]] Underway underway(const KernelSequence& kernels, sim::Duration executed);
// The kernel that is reached at `position` of the batch. Kernels that are launched one by one need no search.
[[nodiscard]] inline Underway underway(const Batch& batch, sim::Duration per_launch,
                                       const Position& position) {
  if (!batch.kernel_by_kernel) return underway(*batch.kernels, position.into);
  return {position.next, std::max(position.into - per_launch, sim::Duration::zero())};
}

// The kernels' cumulative usage up to `at`.
[[nodiscard]] Usage usage_until(const KernelSequence& kernels, const Underway& at);

// `position` in the batch after its kernels are replaced by `next`. The kernel in progress, `at`, keeps its
// fraction.
[[nodiscard]] Position retimed(const Batch& batch, sim::Duration per_launch, Position position,
                               const Underway& at, const KernelSequence& next);

}  // namespace jostle::gpu
