// Threads as users of a Cpu see them: their description, their statistics, and the flags that they wait for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/cpu/container_spec.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

class Cpu;
struct Thread;

// The state of a thread. In the first three it holds a core.
enum class State : std::uint8_t {
  on_core,    // executing at the full rate of its core
  refilling,  // executing slower while it pays a cache debt
  switching,  // the core is being handed to it: no progress yet
  runnable,   // waits for a core
  sleeping,   // waits to be woken
};
inline constexpr std::size_t state_count = 5;
[[nodiscard]] const char* to_string(State state);

// Notified of every change of state or rate, and of the start of every request, at the instant it happens;
// for an unwatched thread (Cpu::watch), of changes at times that may have passed. `work_done` belongs to the
// present request, in reference time; from `now` on it grows by `rate` per unit time. The listener may read
// and may schedule events, but must not call back into the Cpu that notifies it, except for watch() and
// notify_phases() of another thread.
struct ThreadListener {
  void (*changed)(void* context, State state, sim::Time now, sim::Duration work_done, double rate) = nullptr;
  void* context = nullptr;
};

struct ThreadSpec {
  std::string name = {};
  std::vector<int> cpus = {};                   // allowed cores; empty: those of Confinement
  int nice = 0;                                 // -20 … 19
  int fifo = 0;                                 // SCHED_FIFO with this priority, 1 … 99; 0: SCHED_OTHER
  std::optional<ContainerSpec> container = {};  // only for a SCHED_OTHER thread
  double working_set_bytes = 0;                 // determines the cache debts
  std::optional<ReturnLoss> return_loss = {};   // in place of the debts of the cores
  bool streams = false;  // its data exceeds the caches: other threads lose their state in the shared cache
  // Its part of the data that its program reads again from the cache that a cluster shares; the cache counts
  // for no more than it holds. All of the cache if it streams.
  double cached_bytes = 0;
  std::optional<int> start_on = {};  // its first core; none: the idlest allowed one
  ThreadListener listener = {};
};

// Names a thread of one Cpu.
struct ThreadId {
  std::uint32_t index = 0;
  bool operator==(const ThreadId&) const = default;
};

// Set once when something completes; at most one thread waits for it: Cpu::spin, yield_spin or block.
class Flag {
 public:
  Flag() = default;
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

  [[nodiscard]] bool is_set() const { return set_; }
  // The waiting thread sees the flag when its way of waiting allows; no effect if it is set already. `by`:
  // the thread that sets it; none: a device, by its interrupt.
  void set(std::optional<ThreadId> by = {});
  // Makes it usable again; no thread may be waiting.
  void reset() { set_ = false; }

 private:
  friend class Cpu;
  bool set_ = false;
  Cpu* cpu_ = nullptr;
  Thread* waiter_ = nullptr;
};

// The present request of a thread: at time t ≥ since, until the next change, done + rate · (t - since).
struct Progress {
  sim::Time since;
  sim::Duration done;
  double rate = 0;
  bool on_core = false;
};

struct ThreadStatistics {
  std::array<sim::Duration, state_count> time_in{};  // by State, since the thread was created
  sim::Duration work;                                // reference time executed for run() and seen flags
  sim::Duration throttled;                           // runnable, but held back by a quota or runtime limit
  std::int64_t migrations = 0;                       // changes of core, those across clusters included
  std::int64_t cluster_migrations = 0;
  std::int64_t voluntary_switches = 0;    // went to sleep
  std::int64_t involuntary_switches = 0;  // lost its core while runnable (sched_yield too, as in Linux)

  [[nodiscard]] sim::Duration in(State state) const { return time_in[static_cast<std::size_t>(state)]; }
};

struct CoreStatistics {
  sim::Duration busy;         // held by a thread or an interrupt
  sim::Duration interrupted;  // the part of it that interrupts took while a thread held it
  std::int64_t switches = 0;  // handed to another thread, with or without idle time between
};

}  // namespace jostle::cpu
