// The GPU as processes see it: contexts, batches of kernels, and what becomes of them.
//
// One context is one time-slice group (TSG). Batches of a context run one after another, in the order in
// which they were enqueued. The interface is abstract because there are several of them: one for each
// way of sharing the GPU (sharing.hpp), and the tests' reference engine, which has an event per kernel and
// must agree with TimeSharedGpu (time_sharing.hpp) to the picosecond.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "models/gpu/kernel.hpp"
#include "models/gpu/rates.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

struct ContextId {
  std::uint32_t index = 0;
  bool operator==(const ContextId&) const = default;
};

// Where a context stands.
enum class ContextState : std::uint8_t {
  empty,         // none of its kernels has been launched, or all are done
  waiting,       // has work while another context holds the GPU, or is being given it
  switching_in,  // the GPU is being given to it
  owner,         // holds the GPU
};

// Told by the GPU at the instant something happens. Neither function may call back into the GPU.
struct ContextListener {
  // The oldest unfinished batch is finished and its host can see it (not before the turn ends, where the
  // context's refills do not prolong a turn).
  void (*batch_seen)(void* context) = nullptr;
  // The state is about to change; running() still tells of the old one.
  void (*state_changing)(void* context, ContextState next) = nullptr;
  void* context = nullptr;
};

struct ContextSpec {
  std::string name;
  bool refill_prolongs_turn = true;  // completions during a turn are seen at once (process::RefillSpec)
  sim::Duration per_launch;          // GPU front-end time before each kernel that was launched by itself
  ContextListener listener;
};

// When the kernels of a batch are launched, in work of the host thread since the enqueue call began: kernel i
// at first + (i + 1) · each.
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

// Time in which kernels of a context were executing, and what they had of the GPU. Caches that are refilled
// after an expiry are time bound by memory: blocks are resident, and nothing issues.
struct Running {
  sim::Duration total;
  Usage used;

  // Seconds that neither arithmetic nor memory bounded.
  [[nodiscard]] double fixed() const {
    return std::max(sim::to_seconds(total) - used.compute - used.memory, 0.0);
  }
};

// Start and end of every kernel, as its own clock stamps would tell: a preempted kernel spans other turns.
struct KernelObserver {
  void (*finished)(void* context, ContextId owner, sim::Time start, sim::Time end) = nullptr;
  void* context = nullptr;
  sim::Duration first_stamp;  // the start is stamped when so much of the kernel has been executed
};

class Gpu {
 public:
  Gpu() = default;
  virtual ~Gpu() = default;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  virtual ContextId create_context(const ContextSpec& spec) = 0;
  virtual void set_observer(const KernelObserver& observer) = 0;

  // From now on kernels run at these rates. One that is under way keeps its fraction; what has been executed
  // stays as it was. What is not kernels (front end, launch gaps, changes of owner, refills) takes as long as
  // before. Throws std::invalid_argument where a rate is not positive.
  virtual void set_rates(const Rates& rates) = 0;

  // A batch launched in one piece, now. `kernels` must not be empty, nor change or go while the GPU is there.
  // A gated batch does not start before open().
  virtual void enqueue(ContextId context, const KernelSequence& kernels, bool gated = false) = 0;
  // A batch whose kernels are launched one by one, as the host gets on (host_progress); finish_launches()
  // comes before the context's next batch.
  virtual void begin_launches(ContextId context, const KernelSequence& kernels, const LaunchPlan& plan,
                              bool gated = false) = 0;
  // The input of the oldest gated batch has arrived.
  virtual void open(ContextId context) = 0;
  // The host's pace changes, now (progress.since): only between begin_launches and finish_launches.
  virtual void host_progress(ContextId context, const HostProgress& progress) = 0;
  // Every kernel of the newest batch has been launched by now.
  virtual void finish_launches(ContextId context) = 0;

  // Up to now.
  [[nodiscard]] virtual Running running(ContextId context) = 0;
  [[nodiscard]] virtual sim::Duration running_time(ContextId context) = 0;  // its total alone, cheaper
  [[nodiscard]] virtual sim::Duration busy() = 0;                           // any kernel executing
  [[nodiscard]] virtual sim::Duration switching() = 0;                      // being handed over
  [[nodiscard]] virtual std::int64_t switches() const = 0;
  // Finished batches of which the host has not been told, and batches not finished.
  [[nodiscard]] virtual std::uint64_t unseen(ContextId context) const = 0;
  [[nodiscard]] virtual std::uint64_t unfinished(ContextId context) const = 0;
};

}  // namespace jostle::gpu
