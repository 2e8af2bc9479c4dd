// What is not the policy's: which queue of a core a thread is in, and what limits how long it may run.
#include <algorithm>
#include <utility>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {

using sim::Duration;
using sim::Time;

// A thread that became runnable, whose core is `core`.
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

// When the running thread's time may be used up: noticed at a tick, at once if it is already.
Time Cpu::limit_due(Core& core) const {
  const Thread& thread = *core.running;
  Duration left;
  if (thread.priority > 0) {
    left = realtime_runtime - core.realtime.ran;
  } else if (thread.container != nullptr && thread.container->quota) {
    left = thread.container->on(core.index).left;
  } else {
    return Time::never();
  }
  return left > Duration::zero() ? next_tick(engine_.now() + left) : engine_.now();
}

bool Cpu::over_limit(Core& core) {
  const Thread& thread = *core.running;
  if (thread.priority > 0) return core.realtime.ran >= realtime_runtime;
  Container::OnCore& on = thread.container->on(core.index);
  return on.left <= Duration::zero() && !thread.container->assign(on);
}

void Cpu::enforce_limit(Core& core) {
  if (core.running->priority > 0) {
    throttle_realtime(core);
  } else {
    throttle(core, *core.running->container);
  }
}

// What held it back does no longer.
void Cpu::release(Thread& thread) {
  if (thread.held_since == Time::never()) return;
  thread.statistics.throttled += engine_.now() - std::exchange(thread.held_since, Time::never());
}

}  // namespace jostle::cpu
