// Members of Cpu for the limits of running time: the runtime of real-time threads, the fair server's, the
// quota of a container.
#include <algorithm>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

using sim::Duration;

// The time that limits leave the running thread; Duration::max() if there is none.
Duration limit_left(const Machine& machine, const Core& core) {
  const Thread& thread = *core.running;
  const RealTimeQueue& realtime = core.realtime;
  if (thread.priority > 0)
    return machine.spec.scheduler.limits_realtime() && realtime.runtime < realtime_period
               ? realtime.runtime - realtime.ran
               : Duration::max();
  const Duration served = realtime.outranked ? realtime.fair.left : Duration::max();
  const bool quota = thread.container != nullptr && thread.container->quota;
  return quota ? std::min(served, thread.container->on(core.index).left) : served;
}

}  // namespace

// The running thread, which a limit may end, executed for `elapsed`.
void Cpu::charge(Core& core, Thread& thread, Duration elapsed) {
  if (thread.priority > 0) {
    core.realtime.ran += elapsed;
    return;
  }
  core.queue.charge(elapsed.ps());
  if (thread.container != nullptr) thread.container->charge(core.index, elapsed);
}

// The tick at which the running thread's time may be used up; now if it already is.
sim::Time Cpu::limit_due(const Core& core) const {
  const Duration left = limit_left(machine_, core);
  if (left == Duration::max()) return sim::Time::never();
  return left > Duration::zero() ? machine_.ticks.next(engine_.now() + left) : engine_.now();
}

// Takes the core from the running thread if its time is used up and no more is granted; false: it goes on.
bool Cpu::enforce_limit(Core& core) {
  if (limit_left(machine_, core) > Duration::zero()) return false;
  const Thread& thread = *core.running;
  if (thread.priority > 0) {
    realtime_.borrow_runtime(core);
    if (limit_left(machine_, core) > Duration::zero()) return false;
    realtime_.throttle(core);
  } else if (core.realtime.outranked && core.realtime.fair.left <= Duration::zero()) {
    realtime_.end_service(core);
  } else {
    Container& container = *thread.container;
    if (container.assign(container.on(core.index))) return false;
    container.throttle(core);
  }
  return true;
}

}  // namespace jostle::cpu
