// Threads that compute the layers of a batch together, as OpenMP or a runtime's own pool does: each layer is
// forked over all of them and joined, so the slowest decides.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "models/cpu/cpu.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"
#include "sim/process.hpp"

namespace jostle::process {

struct TeamListener {
  // Whether any thread but the main one has a core; at the instant it changes.
  void (*helped)(void* context, bool helped) = nullptr;
  void* context = nullptr;
};

class ThreadTeam {
 public:
  // All must outlive it. The other threads are like `worker` (its listener excepted) and sleep until the
  // first batch. `sync`: how a thread waits for the others within a batch; between batches it sleeps.
  ThreadTeam(sim::Engine& engine, cpu::Cpu& cpu, cpu::ThreadId main, const cpu::ThreadSpec& worker,
             const HostWork& work, sim::Duration per_layer, Sync sync, const SyncSpec& costs,
             const TeamListener& listener);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // One batch; every thread's work times `factor`. By the main thread, which goes on when all have joined.
  [[nodiscard]] sim::Task<> run(double factor);

  // Of the threads but the main one, added up.
  [[nodiscard]] cpu::ThreadStatistics statistics() const;

 private:
  struct Worker {
    ThreadTeam* team = nullptr;
    cpu::ThreadId thread;
    cpu::Flag go;
    bool has_core = false;
  };

  [[nodiscard]] sim::Process help(Worker& worker);
  void thread_changed(Worker& worker, cpu::State state);

  cpu::Cpu& cpu_;
  cpu::ThreadId main_;
  const HostWork& work_;
  sim::Duration per_layer_;
  Sync sync_;
  SyncSpec costs_;
  TeamListener listener_;
  std::deque<Worker> workers_;
  cpu::Flag joined_;
  sim::Duration share_;        // of the present layer, a thread
  bool last_layer_ = true;     // of the batch
  std::size_t computing_ = 0;  // workers that have not joined
  int on_cores_ = 0;           // workers
};

}  // namespace jostle::process
