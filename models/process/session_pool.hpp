// The pool of threads that a session of ONNX Runtime keeps for its operators on the cores while the GPU
// computes the network. Each batch has one such operator, whose work is in the session's own time (assumed: a
// cast of the input, say). The session hands it to one thread, which wakes the others; the session waits for
// none, and takes back what nobody has begun when it is through itself. Threads that were woken spin for the
// next operator, and sleep after a while.
#pragma once

#include <deque>

#include "models/cpu/cpu.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/spec.hpp"
#include "sim/process.hpp"

namespace jostle::process {

class SessionPool {
 public:
  // The board must outlive it.
  SessionPool(const BoardParts& board, const Spec& spec, const Costs& costs);
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;

  // The thread `session` comes to the operator of a batch now.
  void wake(cpu::ThreadId session);

 private:
  struct Worker {
    cpu::ThreadId thread;
    cpu::Flag go;
  };
  [[nodiscard]] sim::Process work(Worker& worker);

  sim::Engine& engine_;
  cpu::Cpu& cpu_;
  SyncSpec sync_;
  std::deque<Worker> workers_;  // the first wakes the others
  sim::Time begun_;             // when the last operator came
};

}  // namespace jostle::process
