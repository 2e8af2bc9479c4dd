#include "models/process/session_pool.hpp"

#include <fmt/format.h>

#include "models/process/host_thread.hpp"
#include "models/process/wait.hpp"

namespace jostle::process {
namespace {

// The session is through with its operator after this. Measured on an H200's host with ONNX Runtime 1.30: a
// cast of 150,528 or 1,228,800 elements takes 0.4 to 1 ms.
const sim::Duration operator_time = sim::milliseconds(0.5);

}  // namespace

SessionPool::SessionPool(const BoardParts& board, const Spec& spec, const Costs& costs)
    : engine_(board.engine), cpu_(board.cpu), sync_(costs.sync) {
  sync_.most_spun = spec.pool.spins;
  for (int i = 0; i < spec.pool.threads; ++i) {
    cpu::ThreadSpec thread = thread_spec(spec, costs);
    thread.name = fmt::format("{} pool {}", spec.name, i);
    Worker& added = workers_.emplace_back();
    added.thread = cpu_.create_thread(thread);
    board.engine.spawn(work(added), thread.name, sim::Role::daemon);
  }
}

void SessionPool::wake(cpu::ThreadId session) {
  begun_ = engine_.now();
  workers_.front().go.set(session);
}

sim::Process SessionPool::work(Worker& worker) {
  for (Sync how = Sync::blocking;; how = Sync::spin) {
    co_await wait_for(cpu_, worker.thread, worker.go, how, sync_);
    worker.go.reset();
    if (&worker != &workers_.front() || engine_.now() > begun_ + operator_time) continue;
    for (Worker& other : workers_)
      if (&other != &worker) other.go.set(worker.thread);
  }
}

}  // namespace jostle::process
