// Threads that compute the layers of a batch together, as OpenMP or a runtime's own pool does: each layer is
// forked over all of them and joined, so the slowest thread determines its time.
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "models/cpu/cpu.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/host_thread.hpp"
#include "models/process/spec.hpp"
#include "models/process/time_account.hpp"
#include "sim/process.hpp"

namespace jostle::process {

class ThreadTeam {
 public:
  // All arguments must outlive it. The host thread computes with the others, which sleep until the first
  // batch. Within a batch a thread waits for the others as the spec says; between batches it sleeps.
  // `account` is notified when any of the others has a core, and when none has.
  ThreadTeam(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& main,
             TimeAccount& account);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Computes one batch: `layers` is the work of each thread. The host thread goes on when all have joined.
  // `more`: the batch goes on with another call, until which the threads wait as within it.
  [[nodiscard]] sim::Task<> compute(std::span<const sim::Duration> layers, bool more = false);
  // The memory traffic of each thread while it computes from now on. It computes a layer the more slowly the
  // less the memory grants the team, and the less the cluster's cache keeps for it, as the layer begins.
  void set_traffic(const HostTraffic& traffic);

  // Sums over the threads except the host thread; `throttled`: the maximum over them.
  [[nodiscard]] cpu::ThreadStatistics statistics() const;

 private:
  struct Worker {
    ThreadTeam* team = nullptr;
    cpu::ThreadId thread;
    cpu::Flag go;
    bool has_core = false;
    bool busy = false;    // it has work in the present layer
    bool waits = false;   // it is runnable and has no core
    double demanded = 0;  // bytes/s of memory traffic, as last reported
  };

  [[nodiscard]] double slowdown();
  void set_demand(double more);
  void demand(Worker& worker);
  [[nodiscard]] sim::Process help(Worker& worker);
  void thread_changed(Worker& worker, cpu::State state);
  void note(Worker& worker, bool has_core, bool busy, bool waits);
  void tell_account();

  cpu::Cpu& cpu_;
  std::optional<memory::Traffic>& traffic_;
  HostThread& main_;
  const Spec& spec_;
  const Costs& costs_;
  TimeAccount& account_;
  memory::TeamId team_;
  HostTraffic asked_;  // with all of the cluster's cache
  double more_ = 1;    // the present traffic over that
  std::deque<Worker> workers_;
  cpu::Flag joined_;
  sim::Duration share_;        // work of each thread in the present layer
  bool last_layer_ = true;     // the present layer is the last of the batch
  std::size_t computing_ = 0;  // workers that have not joined
  int on_cores_ = 0;           // workers that have a core
  bool met_ = false;           // the host thread waits for the others
  // True if threads that lack a core are told apart: those that yield or sleep spin for nobody.
  bool told_;
  // Workers that compute, spin, and have work and no core; kept only if they are told apart.
  int computes_ = 0, spins_ = 0, lacks_ = 0;
  TeamState state_;
};

}  // namespace jostle::process
