// Members of Cpu for queueing beyond the policy: which queue a thread is in, and the limits of its running
// time.
#include <algorithm>
#include <utility>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {

using sim::Duration;
using sim::Time;

// A thread became runnable, and its core is `core`.
void Cpu::enqueue(Core& core, Thread& thread, bool is_new) {
  if (thread.priority > 0) return enqueue_realtime(core, thread);
  if (is_new) {
    load_is_new(core, thread, engine_.now());
  } else {
    load_wakes(core, thread, engine_.now());
  }
  if (!admit(core, thread)) return;
  if (is_new) {
    core.queue.enqueue_new(thread);
  } else {
    core.queue.enqueue_woken(thread);
  }
}

void Cpu::dequeue_sleeping(Core& core, Thread& thread) {
  if (thread.priority > 0) {
    core.realtime.remove(thread);
    release(thread);
    return;
  }
  load_sleeps(core, thread, engine_.now());
  if (!depart(core, thread)) core.queue.dequeue_sleeping(thread);
}

// The running thread executed for `elapsed`.
void Cpu::charge(Core& core, Thread& thread, Duration elapsed) {
  if (thread.priority > 0) {
    core.realtime.ran += elapsed;
    return;
  }
  core.queue.charge(elapsed.ps());
  if (thread.container == nullptr || !thread.container->quota) return;
  Container::OnCore& on = thread.container->on(core.index);
  on.left -= elapsed;
  if (on.left > Duration::zero()) return;
  start_period(*thread.container);
  thread.container->assign(on);
}

// The time that limits leave the running thread; Duration::max() if there is none.
Duration Cpu::limit_left(Core& core) const {
  const Thread& thread = *core.running;
  const RealTimeQueue& realtime = core.realtime;
  if (thread.priority > 0)
    return machine_.spec.scheduler.limits_realtime() && realtime.runtime < realtime_period
               ? realtime.runtime - realtime.ran
               : Duration::max();
  const Duration served = realtime.outranked ? realtime.fair.left : Duration::max();
  const bool quota = thread.container != nullptr && thread.container->quota;
  return quota ? std::min(served, thread.container->on(core.index).left) : served;
}

// The tick at which the running thread's time may be used up; now if it already is.
Time Cpu::limit_due(Core& core) const {
  const Duration left = limit_left(core);
  if (left == Duration::max()) return Time::never();
  return left > Duration::zero() ? next_tick(engine_.now() + left) : engine_.now();
}

bool Cpu::over_limit(Core& core) {
  if (limit_left(core) > Duration::zero()) return false;
  const Thread& thread = *core.running;
  if (thread.priority > 0) {
    borrow_runtime(core);
    return limit_left(core) <= Duration::zero();
  }
  if (core.realtime.outranked && core.realtime.fair.left <= Duration::zero()) return true;
  return !thread.container->assign(thread.container->on(core.index));
}

void Cpu::enforce_limit(Core& core) {
  if (core.running->priority > 0) {
    core.realtime.throttled = true;
    hold_back_realtime(core);
  } else if (core.realtime.outranked && core.realtime.fair.left <= Duration::zero()) {
    core.realtime.outranked = false;
    release_realtime(core);
    settle(core);
  } else {
    throttle(core, *core.running->container);
  }
}

// The limit that held the thread back no longer does.
void Cpu::release(Thread& thread) {
  if (thread.held_since == Time::never()) return;
  thread.statistics.throttled += engine_.now() - std::exchange(thread.held_since, Time::never());
}

}  // namespace jostle::cpu
