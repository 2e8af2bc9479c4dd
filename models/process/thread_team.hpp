// Threads that compute the layers of a batch together, as OpenMP or a runtime's own pool does: each layer is
// forked over all of them and joined, so the slowest decides.
#pragma once

#include <deque>
#include <vector>

#include "models/cpu/cpu.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/host_thread.hpp"
#include "models/process/spec.hpp"
#include "models/process/time_account.hpp"
#include "sim/process.hpp"

namespace jostle::process {

class ThreadTeam {
 public:
  // All must outlive it. The host thread computes with the others, which sleep until the first batch. Within
  // a batch a thread waits for the others as the spec says; between batches it sleeps. `account` is told
  // whether any of the others has a core.
  ThreadTeam(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& main,
             TimeAccount& account);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // One batch, by the host thread, which goes on when all have joined.
  [[nodiscard]] sim::Task<> compute();

  // Of the threads but the host thread, added up; `throttled`: of the one most held back.
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
  HostThread& main_;
  const Spec& spec_;
  const Costs& costs_;
  TimeAccount& account_;
  std::deque<Worker> workers_;
  cpu::Flag joined_;
  sim::Duration share_;        // of the present layer, a thread
  bool last_layer_ = true;     // of the batch
  std::size_t computing_ = 0;  // workers that have not joined
  int on_cores_ = 0;           // workers
};

}  // namespace jostle::process
