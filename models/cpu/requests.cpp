// Members of Cpu for requests to threads: begin and end of work, polling, blocking and sleep.
#include <optional>
#include <stdexcept>
#include <utility>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

// True if the slice of the core ends at the same tick as before when the thread makes its next request: the
// executed time and the rest of the slice add up exactly unless a virtual time is rounded.
bool slice_stays(const Thread& thread) {
  return !thread.polite && !thread.limited() && thread.weight == nice_0_weight;
}

}  // namespace

void Flag::set(std::optional<ThreadId> by) {
  if (set_) return;
  set_ = true;
  if (waiter_ == nullptr) return;
  Thread& waiter = *std::exchange(waiter_, nullptr);
  waiter.waker = by ? cpu_->core_of(*by) : cpu_->machine().spec.scheduler.interrupt_core;
  cpu_->flag_set(waiter);
}

void Cpu::start_request(Thread& thread, Request request) {
  thread.request = request;
  thread.done = sim::Duration::zero();
  Core& core = machine_.core(thread.core);
  if (thread.state == State::sleeping) {
    make_runnable(thread, -1);
    return;
  }
  if (thread.watched) thread.notify(thread.state, thread.rate, engine_.now());
  slice_stays(thread) ? arm_phase(core) : arm(core);
}

bool Cpu::begin_work(Thread& thread, sim::Duration work) {
  if (work < sim::Duration::zero()) throw std::invalid_argument("cpu: negative work");
  if (work == sim::Duration::zero() && thread.state == State::on_core) return false;
  if (thread.state != State::sleeping) accrue(machine_.core(thread.core));
  thread.remaining = work;
  start_request(thread, Request::work);
  return true;
}

bool Cpu::begin_poll(Thread& thread, Flag& flag, sim::Duration poll, bool polite, sim::Duration most) {
  if (flag.set_) return begin_work(thread, poll);
  if (thread.state != State::sleeping) accrue(machine_.core(thread.core));
  flag.cpu_ = this;
  flag.waiter_ = &thread;
  thread.flag = &flag;
  thread.poll = poll;
  thread.polite = polite;
  thread.gives_up = most != sim::Duration::max();
  thread.remaining = most;
  start_request(thread, Request::poll);
  return true;
}

bool Cpu::begin_block(Thread& thread, Flag& flag, sim::Duration wake_latency) {
  if (flag.set_) return false;
  flag.cpu_ = this;
  flag.waiter_ = &thread;
  thread.flag = &flag;
  thread.wake_latency = wake_latency;
  return begin_sleep(thread, sim::Time::never());
}

bool Cpu::begin_sleep(Thread& thread, sim::Time until) {
  if (until <= engine_.now()) return false;
  thread.request = Request::sleep;
  thread.waker = -1;
  thread.done = sim::Duration::zero();
  if (until != sim::Time::never())
    thread.wake_event = engine_.schedule(until, sim::action<&Thread::wake_up>(thread));
  if (thread.state != State::sleeping) go_to_sleep(thread);
  return true;
}

void Thread::wake_up() {
  cpu->wake({index}, waker);
}

bool Cpu::wake(ThreadId id, int waker) {
  Thread& thread = machine_.thread(id);
  if (thread.request != Request::sleep) return false;
  engine_.cancel(thread.wake_event);
  if (thread.flag != nullptr) {
    thread.flag->waiter_ = nullptr;
    thread.flag = nullptr;
  }
  // The call that it sleeps in returns as soon as it has a core.
  thread.request = Request::work;
  thread.remaining = sim::Duration::zero();
  make_runnable(thread, waker);
  return true;
}

void Cpu::retire(ThreadId id) {
  Thread& thread = machine_.thread(id);
  if (thread.request != Request::none)
    throw std::invalid_argument("cpu: " + thread.title + " is in a request");
  if (thread.state != State::sleeping) go_to_sleep(thread);
}

void Cpu::flag_set(Thread& thread) {
  thread.flag = nullptr;
  if (thread.request == Request::sleep) {
    if (thread.wake_latency > sim::Duration::zero()) {
      thread.wake_event =
          engine_.schedule(engine_.now() + thread.wake_latency, sim::action<&Thread::wake_up>(thread));
    } else {
      wake({thread.index}, thread.waker);
    }
    return;
  }
  // The thread polls: on a core it sees the flag after `poll`; without a core, `poll` after it gets one.
  Core& core = machine_.core(thread.core);
  accrue(core);
  thread.request = Request::work;
  thread.remaining = thread.poll;
  if (core.running == &thread && slice_stays(thread)) {
    arm_phase(core);
  } else {
    thread.polite = false;
    arm(core);
  }
}

void Cpu::finish_request(Thread& thread) {
  if (thread.flag != nullptr) std::exchange(thread.flag, nullptr)->waiter_ = nullptr;  // it gave up
  thread.request = Request::none;
  thread.finishes = sim::Time::never();
  engine_.resume_soon(std::exchange(thread.waiter, {}));
}

}  // namespace jostle::cpu
