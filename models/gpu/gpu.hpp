// The interface of a GPU: contexts, batches of kernels, and their progress.
//
// One context is one stream of a process; the streams of a process are one time-slice group (TSG). The
// batches of a context run one after another, in the order in which they were enqueued. There are three
// implementations. TimeSharedGpu (time_sharing.hpp), for processes with one stream each, gives the GPU to one
// process at a time and advances many kernels in one event. SpaceSharedGpu (space_sharing.hpp) runs several
// streams at once, of one process or under MPS. The reference of the tests (tests/models/reference_gpu) has
// an event for each kernel and must agree with TimeSharedGpu to the picosecond.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "models/gpu/kernel.hpp"
#include "models/gpu/partitions.hpp"
#include "models/gpu/rates.hpp"
#include "models/gpu/runlist.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

struct ContextId {
  std::uint32_t index = 0;
  bool operator==(const ContextId&) const = default;
};

// The state of a context.
enum class ContextState : std::uint8_t {
  empty,         // has no launched kernel, or all of them are done
  waiting,       // has work, but another context holds the GPU or is being switched in
  switching_in,  // is being switched in
  owner,         // holds the GPU
};

// Callbacks of the GPU, at the instant something happens. Neither function may call back into the GPU.
struct ContextListener {
  // The oldest unfinished batch is finished and its host can see it. If refills do not prolong the context's
  // turn, this is at the end of the turn at the earliest.
  void (*batch_seen)(void* context) = nullptr;
  // The state is about to change; running() still reports the old state.
  void (*state_changing)(void* context, ContextState next) = nullptr;
  void* context = nullptr;
};

// The dispatch priority of ready kernels (CUDA stream priorities).
enum class Priority : std::uint8_t { low, normal, high };

struct ContextSpec {
  std::string name;
  bool follow_up_prolongs_turn = true;  // completions during a turn are seen at once (process::FollowUpSpec)
  sim::Duration per_launch;             // GPU front-end time before each kernel that is launched separately
  std::optional<sim::Duration> slice = {};  // the length of its turns; none: TimeSlicing::slice
  Interleave interleave = Interleave::low;  // the frequency of its turns
  // Streams of one process are contexts with the same group: they share its turn. None: a group of its own.
  std::optional<std::uint32_t> group = {};
  Priority priority = Priority::normal;  // among the streams that share the GPU at one time
  double mps_threads = 1;  // share of the SMs that it may use (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE)
  std::optional<SmPartition> partition = {};  // the SMs that it has; none: all
  std::uint32_t functions =
      0;  // a number for the functions of its kernels: equal for equal networks of equal batch
  ContextListener listener;
};

// The launch times of a batch's kernels, in work of the host thread since the begin of the enqueue call:
// kernel i at first + (i + 1) · each.
struct LaunchPlan {
  sim::Duration first;
  sim::Duration each;
};

// The work of the host thread as a function of time: from `since` on it is done + rate · (t - since).
struct HostProgress {
  sim::Time since;
  sim::Duration done;
  double rate = 0;
};

// Time in which kernels of a context were executing, and their usage of the GPU. Refilling caches after an
// expiry counts as memory-bound time: blocks are resident, and no instructions issue.
struct Running {
  sim::Duration total;
  Usage used;

  // Seconds bound neither by arithmetic nor by memory.
  [[nodiscard]] double fixed() const {
    return std::max(sim::to_seconds(total) - used.compute - used.memory, 0.0);
  }
};

// Reports start and end of every kernel, equal to the kernel's own timestamps: a preempted kernel spans the
// turns of other contexts.
struct KernelObserver {
  void (*finished)(void* context, ContextId owner, sim::Time start, sim::Time end) = nullptr;
  void* context = nullptr;
  sim::Duration first_stamp;  // the start is stamped when this much of the kernel has been executed
};

class Gpu {
 public:
  Gpu() = default;
  virtual ~Gpu() = default;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  virtual ContextId create_context(const ContextSpec& spec) = 0;
  virtual void set_observer(const KernelObserver& observer) = 0;

  // Sets the rates at which kernels run from now on. A kernel in progress keeps its fraction; time that has
  // been executed does not change. All time outside kernel execution (front end, launch gaps, context
  // switches, cache refills) takes as long as before. Throws std::invalid_argument if a rate is not positive.
  virtual void set_rates(const Rates& rates) = 0;

  // Enqueues a batch that is launched as a whole, now. `kernels` must not be empty, and must neither change
  // nor be destroyed as long as the GPU exists. A gated batch does not start before open().
  virtual void enqueue(ContextId context, const KernelSequence& kernels, bool gated = false) = 0;
  // Enqueues a batch whose kernels are launched one by one, as the host makes progress (host_progress). Call
  // finish_launches() before the context's next batch.
  virtual void begin_launches(ContextId context, const KernelSequence& kernels, const LaunchPlan& plan,
                              bool gated = false) = 0;
  // Reports that the input of the oldest gated batch has been copied.
  virtual void open(ContextId context) = 0;
  // The host's pace changes now (progress.since). Call only between begin_launches() and finish_launches().
  virtual void host_progress(ContextId context, const HostProgress& progress) = 0;
  // Reports that every kernel of the newest batch has been launched by now.
  virtual void finish_launches(ContextId context) = 0;

  // Readings up to now.
  [[nodiscard]] virtual Running running(ContextId context) = 0;
  // The total of running() alone, which is cheaper.
  [[nodiscard]] virtual sim::Duration running_time(ContextId context) = 0;
  // Time in which kernels of any stream of the context's process were executing.
  [[nodiscard]] virtual sim::Duration process_running_time(ContextId context) = 0;
  [[nodiscard]] virtual Usage used() = 0;               // sum over the kernels of all contexts
  [[nodiscard]] virtual sim::Duration busy() = 0;       // time in which any kernel executes
  [[nodiscard]] virtual sim::Duration switching() = 0;  // time in context switches
  [[nodiscard]] virtual std::int64_t switches() const = 0;
  // Time in which batches were repeated instead of simulating their kernels (space_sharing.hpp).
  [[nodiscard]] virtual sim::Duration repeating() { return sim::Duration::zero(); }
  // Number of finished batches that the host has not seen yet, and of unfinished batches.
  [[nodiscard]] virtual std::uint64_t unseen(ContextId context) = 0;
  [[nodiscard]] virtual std::uint64_t unfinished(ContextId context) = 0;
};

}  // namespace jostle::gpu
