// The simulation engine: the clock, the pending events and the coroutines that act on them.
//
//   Engine engine;
//   engine.spawn(camera(engine, gpu), "camera 0");
//   engine.run(Time{} + seconds(4));
//
// One thread runs an engine; several engines may run at the same time, each in its own thread. The same calls
// in the same order give the same run: events are ordered by (time, priority, sequence), and resumed
// coroutines run first come, first served.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "sim/action.hpp"
#include "sim/event_queue.hpp"
#include "sim/process.hpp"
#include "sim/time.hpp"

namespace jostle::sim {

// The ends of a run, the conditions under which it counts as stuck, and the report of waiting processes.
enum class RunEnd {
  time_reached,  // the clock has reached the requested time
  drained,       // no event is pending and no worker waits; or only for Time::never()
  stopped,       // Engine::stop
  stuck,         // the run cannot continue or makes no progress: see Engine::stuck_report
  interrupted,   // the interrupt flag was set
};

struct Watchdog {
  // More events and resumptions than this at one instant count as an endless loop. The limit is far above any
  // real burst.
  std::uint64_t events_at_one_time = 10'000'000;
  // The run is stuck after this much simulated time without Engine::progress().
  Duration without_progress = Duration::max();
};

struct StuckReport {
  struct Waiting {
    std::string process;
    std::string waits_for;  // empty: it does not wait for a named object (in a delay, or about to run)
    std::string held_by;    // empty: unknown
  };
  Time at;
  std::string reason;
  std::vector<Waiting> processes;  // in starting order

  // The report as text, several lines.
  [[nodiscard]] std::string text() const;
};

class TraceSink;

// A run counts as drained when no worker is waiting any more; daemons may still wait.
enum class Role { worker, daemon };

class Engine {
 public:
  Engine();
  // Ends every process where it is suspended: its locals are destroyed, innermost task first.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] Time now() const { return now_; }

  // Runs `action` at time `at`. Throws std::invalid_argument if `at` is in the past.
  EventId schedule(Time at, Action action, Priority priority = Priority::normal) {
    if (at < now_) throw_past(at);
    return queue_.push(at, priority, action);
  }
  // Cancels a pending event and clears the id; false if it has already happened or the id names no event.
  bool cancel(EventId& id) { return queue_.cancel(std::exchange(id, EventId{})); }
  // Moves a pending event to `at`, as if it were scheduled now. Throws std::invalid_argument if it is not
  // pending or `at` is in the past.
  void reschedule(EventId& id, Time at) {
    if (at < now_) throw_past(at);
    if (!queue_.retime(id, at)) throw_not_pending();
  }
  // Moves the event `id` to `at`, or schedules it if it is not pending; never: cancels it.
  void set(EventId& id, Time at, Action action, Priority priority = Priority::normal) {
    if (at == Time::never()) {
      cancel(id);
      return;
    }
    if (at < now_) throw_past(at);
    if (!queue_.retime(id, at)) id = queue_.push(at, priority, action);
  }
  [[nodiscard]] bool pending(EventId id) const { return queue_.pending(id); }
  [[nodiscard]] std::size_t events_pending() const { return queue_.size(); }

  // Starts a process after the current handler. A daemon may wait forever.
  void spawn(Process process, std::string name, Role role = Role::worker);
  [[nodiscard]] std::size_t processes() const { return process_states_.size(); }

  // Resumes a suspended coroutine at the current time: after the current handler and all earlier calls of
  // resume_soon(), before the next event.
  void resume_soon(std::coroutine_handle<> coroutine) {
    if (soon_tail_ - soon_head_ == soon_.size()) grow_soon();
    soon_[soon_tail_++ & (soon_.size() - 1)] = coroutine;
  }

  // co_await engine.delay(d) continues after d ≥ 0. With zero, it continues after everything that is already
  // due now at this or an earlier priority.
  [[nodiscard]] auto delay(Duration duration, Priority priority = Priority::normal) {
    struct Delay {
      Engine& engine;
      Time until;
      Priority priority;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiter) const { engine.resume_at(until, waiter, priority); }
      void await_resume() const noexcept {}
    };
    return Delay{*this, now_ + duration, priority};
  }
  // Resumes a suspended coroutine at `at`. This cannot be cancelled.
  void resume_at(Time at, std::coroutine_handle<> coroutine, Priority priority = Priority::normal) {
    if (at < now_) throw_past(at);
    queue_.push(at, priority, coroutine);
  }

  // Runs until the clock reaches `until`, including the events at that time, or until the run ends for
  // another reason. May be called again to continue. Rethrows an exception that left a process or a handler.
  RunEnd run(Time until);
  // Ends the run after the current handler or resumption.
  void stop() { halt_ = true; }

  void set_watchdog(const Watchdog& watchdog);
  // Reports progress (a batch has finished): see Watchdog::without_progress.
  void progress() {
    const Duration allowed = watchdog_.without_progress;
    stuck_after_ = allowed < Time::never() - now_ ? now_ + allowed : Time::never();
  }
  // The reason why the run is stuck; set when run() returned RunEnd::stuck.
  [[nodiscard]] const std::optional<StuckReport>& stuck_report() const { return stuck_report_; }
  // A flag that is checked every few thousand events (set by Ctrl-C, for example). Null: none.
  void set_interrupt(const std::atomic<bool>* flag) { interrupt_ = flag; }

  // Sink of the timeline. Null (the default): no timeline is recorded.
  void set_trace(TraceSink* sink) { trace_ = sink; }
  [[nodiscard]] TraceSink* trace() const { return trace_; }

  // Number of events and resumptions so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  friend struct Process::promise_type;
  friend void continue_with(Engine& engine, std::coroutine_handle<> next);

  // Runs events and coroutines until one of the reasons in RunEnd applies.
  [[nodiscard]] RunEnd run_loop(Time until);
  [[nodiscard]] RunEnd nothing_left(Time until);
  [[nodiscard]] RunEnd stuck(std::string reason);
  // Resumes a coroutine, then those it continues with.
  void resume(std::coroutine_handle<> coroutine) {
    coroutine.resume();
    while (next_) std::exchange(next_, {}).resume();
  }
  [[nodiscard]] bool soon_empty() const { return soon_head_ == soon_tail_; }
  void grow_soon();
  void remove(ProcessState& process);
  [[noreturn]] void throw_past(Time at) const;
  [[noreturn]] static void throw_not_pending();

  Time now_;
  EventQueue queue_;
  std::coroutine_handle<> next_;
  bool halt_ = false;
  std::vector<std::coroutine_handle<>> soon_;  // a ring buffer; its size is a power of two
  std::size_t soon_head_ = 0;
  std::size_t soon_tail_ = 0;

  std::uint64_t steps_ = 0;
  std::uint64_t steps_when_time_moved_ = 0;
  Time stuck_after_ = Time::never();  // unless there is progress before
  Watchdog watchdog_;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::optional<StuckReport> stuck_report_;
  TraceSink* trace_ = nullptr;

  std::list<ProcessState> process_states_;  // in starting order
  std::exception_ptr error_;
};

inline void continue_with(Engine& engine, std::coroutine_handle<> next) {
  engine.next_ = next;
}

}  // namespace jostle::sim
