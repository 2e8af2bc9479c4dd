#include "sim/engine.hpp"

#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "sim/contract.hpp"

namespace jostle::sim {
namespace {

constexpr std::uint64_t steps_between_polls = 4096;

}  // namespace

Engine::Engine() : soon_(64) {}

// Destroying the outermost frame removes the process from the list.
Engine::~Engine() {
  while (!process_states_.empty()) {
    Promise* promise = process_states_.front().innermost;
    while (promise->parent != nullptr) {
      Promise* const parent = promise->parent;
      *promise->owner = {};
      promise->self.destroy();
      promise = parent;
    }
    promise->self.destroy();
  }
}

Process::promise_type::~promise_type() {
  if (process != nullptr) process->engine->remove(*process);
}

void Process::promise_type::unhandled_exception() {
  Engine& engine = *process->engine;
  if (!engine.error_) engine.error_ = std::current_exception();
  engine.stop();
}

void Engine::spawn(Process process, std::string name, Role role) {
  const auto handle = std::exchange(process.handle_, {});
  if (!handle) throw std::invalid_argument("spawn: the process has already been started");
  ProcessState& state = process_states_.emplace_back();
  state.place = std::prev(process_states_.end());
  state.engine = this;
  state.name = std::move(name);
  state.daemon = role == Role::daemon;
  state.innermost = &handle.promise();
  handle.promise().process = &state;
  resume_soon(handle);
}

void Engine::remove(ProcessState& process) {
  process_states_.erase(process.place);
}

void Engine::grow_soon() {
  std::vector<std::coroutine_handle<>> larger(2 * soon_.size());
  const std::size_t count = soon_tail_ - soon_head_;
  for (std::size_t i = 0; i < count; ++i) larger[i] = soon_[(soon_head_ + i) & (soon_.size() - 1)];
  soon_ = std::move(larger);
  soon_head_ = 0;
  soon_tail_ = count;
}

void Engine::set_watchdog(const Watchdog& watchdog) {
  watchdog_ = watchdog;
  progress();
}

RunEnd Engine::run(Time until) {
  if (until < now_) throw_past(until);
  halt_ = false;
  stuck_report_.reset();
  steps_when_time_moved_ = steps_;
  const RunEnd end = run_loop(until);
  if (error_) std::rethrow_exception(std::exchange(error_, {}));
  return end;
}

RunEnd Engine::run_loop(Time until) {
  // An event at never() must not happen.
  const Time limit = until == Time::never() ? until - Duration{1} : until;
  std::uint64_t next_poll = steps_;
  for (;;) {
    while (!soon_empty()) {
      if (halt_) return RunEnd::stopped;
      if (++steps_ - steps_when_time_moved_ > watchdog_.events_at_one_time) {
        return stuck("time does not advance");
      }
      resume(soon_[soon_head_++ & (soon_.size() - 1)]);
    }
    if (halt_) return RunEnd::stopped;
    if (steps_ >= next_poll) {
      if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) return RunEnd::interrupted;
      next_poll = steps_ + steps_between_polls;
    }

    const Time time = queue_.next_time(limit);
    if (time != now_) {
      if (time == Time::never()) return nothing_left(until);
      if (time > stuck_after_) {
        now_ = stuck_after_;
        return stuck("no progress");
      }
      contract(time > now_, "the clock never goes back");
      now_ = time;
      steps_when_time_moved_ = steps_;
    } else if (steps_ - steps_when_time_moved_ >= watchdog_.events_at_one_time) {
      return stuck("time does not advance");
    }
    ++steps_;
    const EventQueue::Due due = queue_.take();
    if (due.coroutine) {
      due.coroutine.resume();
    } else {
      due.action();
    }
    while (next_) std::exchange(next_, {}).resume();
  }
}

RunEnd Engine::nothing_left(Time until) {
  if (queue_.size() == 0) {
    for (const ProcessState& process : process_states_) {
      if (!process.daemon) return stuck("no event is pending");
    }
  }
  if (until != Time::never()) now_ = until;
  return queue_.size() == 0 || until == Time::never() ? RunEnd::drained : RunEnd::time_reached;
}

RunEnd Engine::stuck(std::string reason) {
  StuckReport report{now_, std::move(reason), {}};
  for (const ProcessState& process : process_states_) {
    const Waitable* const what = process.waiting_for;
    if (what != nullptr) {
      report.processes.push_back({process.name, what->name(), what->held_by()});
    } else {
      report.processes.push_back({process.name, {}, {}});
    }
  }
  stuck_report_ = std::move(report);
  return RunEnd::stuck;
}

void Engine::throw_past(Time at) const {
  throw std::invalid_argument("engine: " + std::to_string(at.ps()) + " ps is before now, " +
                              std::to_string(now_.ps()) + " ps");
}

void Engine::throw_not_pending() {
  throw std::invalid_argument("engine: the event to reschedule is not pending");
}

// The report of a stuck run as text.

std::string StuckReport::text() const {
  char at_ms[48];
  std::snprintf(at_ms, sizeof at_ms, "%.6f", static_cast<double>(at.ps()) / 1e9);
  std::string out = "stuck at " + std::string{at_ms} + " ms: " + reason + "\n";
  for (const Waiting& p : processes) {
    out += "  " + p.process;
    out += p.waits_for.empty() ? " does not wait for a named object" : " waits for " + p.waits_for;
    if (!p.held_by.empty()) out += ", held by " + p.held_by;
    out += "\n";
  }
  return out;
}

}  // namespace jostle::sim
