// The tight loop: how far a context gets on the GPU between two interactions, kernel by kernel, in no events.
#pragma once

#include <cstdint>

#include "models/gpu/gpu.hpp"
#include "models/gpu/kernel.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// A batch as the GPU knows it.
struct Batch {
  const KernelSequence* given = nullptr;
  const KernelSequence* kernels = nullptr;  // given, or as they are at the rates of `epoch`
  std::uint64_t epoch = 0;
  bool kernel_by_kernel = false;  // launched kernel by kernel
  bool gated = false;             // not to start before its input has been copied
  LaunchPlan plan;                // kernel_by_kernel
  std::uint32_t launched =
      0;  // kernels known to be launched (kernel_by_kernel; the rest follow by HostProgress)
};

// How far the oldest batch of a context has got.
struct Position {
  std::uint32_t next = 0;    // kernel_by_kernel: kernel that runs or is to run
  sim::Duration into;        // kernel_by_kernel: done of it, front-end time included; else: done of the batch
  sim::Duration launch_gap;  // to pass first, with no kernel executing (launch gap, wake-up of the GPU)
  sim::Duration
      cache_refill;  // to pass first, executing without getting on (caches refilled after an expiry)
};

enum class Stop : std::uint8_t {
  batch_done,
  out_of_work,  // the next kernel has not been launched
  limit,        // the limit is reached
  starved,      // waits for a launch that will not come as things stand; no limit
};

struct Advance {
  sim::Time at;
  Stop why = Stop::limit;
  Position position;
};

// When kernel `i` of `batch` is launched; Time::zero() if it has been, Time::never() if the host is not at
// it.
[[nodiscard]] inline sim::Time launch_time(const Batch& batch, const HostProgress& host, std::uint32_t i) {
  if (!batch.kernel_by_kernel || i < batch.launched) return sim::Time::zero();
  if (host.rate <= 0) return sim::Time::never();
  const sim::Duration ahead = batch.plan.first + batch.plan.each * (std::int64_t{i} + 1) - host.done;
  return ahead <= sim::Duration::zero() ? host.since : host.since + sim::time_for(ahead, host.rate);
}

// When kernel `i` may start as far as the host is concerned: launched, and the input there.
[[nodiscard]] inline sim::Time ready_time(const Batch& batch, const HostProgress& host, std::uint32_t i) {
  return batch.gated ? sim::Time::never() : launch_time(batch, host, i);
}

// Kernels of `batch` launched at `now`, its input there or not.
[[nodiscard]] std::uint32_t launched_by(const Batch& batch, const HostProgress& host, sim::Time now);

// From `position` at `from` to the end of the batch, or `limit` (≥ from; never: none). Waits for launches
// that are yet to come, unless `stop_when_idle`. A kernel that ends at the limit is done; one launched as the
// one before ends follows it.
[[nodiscard]] Advance advance(const Batch& batch, const HostProgress& host, sim::Duration per_launch,
                              Position position, sim::Time from, sim::Time limit, bool stop_when_idle);

// Of the batch's kernels, what has been executed.
[[nodiscard]] sim::Duration executed(const Batch& batch, sim::Duration per_launch, const Position& position);

// The kernel that `executed` time of the batch lies in, and how much of it is done.
struct Underway {
  std::uint32_t kernel = 0;
  sim::Duration done;
};
[[nodiscard]] Underway underway(const KernelSequence& kernels, sim::Duration executed);

// What the kernels used up to there.
[[nodiscard]] Usage usage_until(const KernelSequence& kernels, const Underway& at);

// `position` in the batch once its kernels run as `next`: the kernel under way, `at`, keeps its fraction.
[[nodiscard]] Position retimed(const Batch& batch, sim::Duration per_launch, Position position,
                               const Underway& at, const KernelSequence& next);

}  // namespace jostle::gpu
