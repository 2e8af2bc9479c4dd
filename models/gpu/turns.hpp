// Turns of processes: one of them has the GPU (the model: TimeSlicing and IdleWake in spec.hpp).
//
//            wake_up()                                  rest()
//      idle <──────────────────────────────────────────────────┐
//       │   wake_up()              begin()                     │   hold()
//       └───────────> switching ──────────> (refilling ──>) running ──────> holding
//                         ^                                    │   resume()    │
//                         └──────────── leave() ───────────────┴───────────────┘
//
// Processes are numbers here, and their work is not known: a GPU says who waits, when the owner is out of
// work, and when its slice may end, and runs kernels while the owner `runs()`. It is used by TimeSharedGpu,
// for processes of one stream each, and SpaceSharedGpu. The timeline of turns is told from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/gpu/gpu.hpp"
#include "models/gpu/runlist.hpp"
#include "models/gpu/spec.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

class Turns {
 public:
  // State of the owner.
  enum class Mode : std::uint8_t {
    idle,       // has nothing enqueued, and nobody else has work; it keeps the GPU
    running,    // has its turn; also while it has no competitors and waits for its own next launch
    holding,    // is out of work, and holds the GPU for a while
    switching,  // is being switched in
    refilling,  // fills its caches after an expiry, where that is not a part of its kernels
  };

  // The engine must outlive this object. `seed` is for the jitter of slices; `shown`: on timelines.
  Turns(sim::Engine& engine, const Spec& spec, std::uint64_t seed, bool shown);

  // One more process, with this first stream. Its number is that of the processes before it.
  void add(const ContextSpec& first);

  [[nodiscard]] Mode mode() const { return mode_; }
  [[nodiscard]] bool runs() const { return mode_ == Mode::running || mode_ == Mode::holding; }
  [[nodiscard]] bool has_gpu() const { return runs() || mode_ == Mode::refilling; }
  // The process that has the GPU, had it last, or to which it is being switched; none: nobody had it yet.
  [[nodiscard]] std::optional<std::size_t> owner() const { return owner_; }
  // The mode of the owner that has the GPU ends by itself then: a switch, a hold, a refill.
  [[nodiscard]] sim::Time mode_ends() const { return mode_ends_; }
  [[nodiscard]] bool contended() const { return waiting_ > 0; }
  [[nodiscard]] bool waits(std::size_t process) const { return processes_[process].waits; }
  [[nodiscard]] sim::Duration switching() const;
  [[nodiscard]] std::int64_t switches() const { return switches_; }

  // A process that is not the owner has launched work, or none, from now on. Not while the GPU is idle: then
  // call wake_up().
  void wait(std::size_t process, bool waits = true);
  // The GPU has been idle for so long that it sleeps, and the time until it is awake.
  [[nodiscard]] bool slept() const { return engine_.now() - idle_since_ >= spec_.idle_wake.after; }
  [[nodiscard]] sim::Duration wake() const { return slept() ? spec_.idle_wake.cost : sim::Duration::zero(); }
  [[nodiscard]] sim::Duration idle_for() const { return engine_.now() - idle_since_; }
  // A process has work, and the GPU is idle. True: it was the last owner and has the GPU (call begin());
  // false: the GPU is being switched to it.
  bool wake_up(std::size_t process);
  // The owner's turn begins, after the switch to it if there was one, with time to refill its caches.
  void begin(sim::Duration refill = {});
  // The caches are refilled, or the owner that held the GPU has work again.
  void resume();
  // The owner has nothing enqueued, and nobody waits.
  void rest();
  // The owner is out of work, and others wait. True: it holds the GPU until mode_ends(), at most until the
  // end of its slice; false: its turn ends now.
  [[nodiscard]] bool hold();
  // The turn ends, and the GPU goes to the next process that waits (there is one), after `cost`.
  void leave(sim::Duration cost);

  // The end of the slice and, after drain(), of what goes on then.
  [[nodiscard]] sim::Time ends() const { return ends_; }
  // After the expiry, planned or past, the running block or kernel goes on, for as long as this if it is
  // known.
  [[nodiscard]] bool draining() const { return drains_from_ != sim::Time::never(); }
  void drain(sim::Duration known = {});
  void drain_until(sim::Time end) { ends_ = end; }
  void undo_drain();  // if the slice has yet to expire

 private:
  struct Process {
    std::string name;
    std::optional<sim::Duration> slice;
    bool waits = false;
  };
  [[nodiscard]] sim::Duration slice() const {
    return processes_[*owner_].slice.value_or(spec_.time_slicing.slice);
  }
  void switch_to(std::size_t next, sim::Duration cost);
  void count_waiting(int more);
  void check_turn() const;

  sim::Engine& engine_;
  const Spec& spec_;
  sim::RandomStream random_;
  std::vector<Process> processes_;
  Rotation rotation_;
  std::optional<std::size_t> owner_;
  Mode mode_ = Mode::idle;
  int waiting_ = 0;  // number of processes
  sim::Time began_, ends_ = sim::Time::never(), mode_ends_ = sim::Time::never();
  sim::Time drains_from_ = sim::Time::never();  // the expiry that is followed by a drain; never: none
  sim::Time idle_since_, switch_began_;
  sim::Duration switching_;
  std::int64_t switches_ = 0;
  sim::TraceSink* trace_;
  sim::TrackId track_ = sim::TrackId::none, waiting_counter_ = sim::TrackId::none;
};

}  // namespace jostle::gpu
