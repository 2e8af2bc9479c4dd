// The host thread of a process: its requests to the CPU, and the listeners to its state changes (the time
// account, the memory traffic, the launches made one by one).
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

#include "models/cpu/cpu.hpp"
#include "models/gpu/gpu.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/launch_lock.hpp"
#include "models/process/spec.hpp"
#include "models/process/time_account.hpp"
#include "models/process/wait.hpp"
#include "sim/process.hpp"
#include "sim/random.hpp"

namespace jostle::process {

// Specification of each thread of the process.
[[nodiscard]] cpu::ThreadSpec thread_spec(const Spec& spec, const Costs& costs);

// Notified of the progress of the present stretch of work, whenever its pace changes.
struct ProgressListener {
  void (*progressed)(void* context, const gpu::HostProgress& progress) = [](void*, const gpu::HostProgress&) {
  };
  void* context = nullptr;
};

class HostThread {
 public:
  // `random` draws the durations of the host's work.
  // All parts must outlive the thread.
  HostThread(const BoardParts& board, const Spec& spec, const Costs& costs, const sim::RandomStream& random,
             TimeAccount& account);
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;

  // Awaitables: work; waiting for a flag as the spec says; sleeping until a flag or an instant wakes the
  // thread.
  [[nodiscard]] auto run(sim::Duration work) { return cpu_.run(thread_, work); }
  class Waiting;
  [[nodiscard]] Waiting wait_for(cpu::Flag& flag);
  // Waits for one of the events of `streams` streams, which are polled in turn: on average half a round
  // passes until the stream with the event is polled.
  [[nodiscard]] sim::Task<> wait_for_any(cpu::Flag& flag, std::size_t streams) {
    SyncSpec costs = costs_.sync;
    costs.poll = costs.poll * static_cast<std::int64_t>(streams + 1) / 2;
    co_await process::wait_for(cpu_, thread_, flag, sync_, costs);
  }
  // Sleeps until the flag is set, as with blocking synchronisation, whatever the spec says.
  [[nodiscard]] sim::Task<> sleep_in_call(cpu::Flag& flag) {
    return process::wait_for(cpu_, thread_, flag, Sync::blocking, costs_.sync);
  }
  [[nodiscard]] auto sleep_until(cpu::Flag& flag) {
    return cpu_.block(thread_, flag, costs_.sync.wake_latency);
  }
  [[nodiscard]] auto sleep_until(sim::Time at) {
    return cpu_.sleep_until(thread_, at + costs_.sync.wake_latency);
  }
  // Sleeps until a timer wakes it at `at`.
  [[nodiscard]] auto wake_at(sim::Time at) { return cpu_.sleep_until(thread_, at); }
  [[nodiscard]] cpu::ThreadId thread() const { return thread_; }
  // The thread has nothing more to do.
  void retire() { cpu_.retire(thread_); }

  // From now on it contends for this lock with the other threads of its process.
  void share(LaunchLock& lock) { lock_ = &lock; }
  // An enqueue call begins, or ends.
  [[nodiscard]] Contention begin_launching() { return lock_ != nullptr ? lock_->enter() : Contention{}; }
  void end_launching() {
    if (lock_ != nullptr) lock_->leave();
  }
  // True if other threads of the process launch as well.
  [[nodiscard]] bool contends() const { return lock_ != nullptr; }
  [[nodiscard]] TimeAccount& time() { return account_; }

  // Sets the kind of its work from now on.
  void set_phase(Phase phase);
  // Sets the memory traffic (bytes/s) of its thread while it computes on a core, as one of a team.
  void set_traffic(memory::TeamId team, double bytes_per_s) {
    team_ = team;
    computing_bytes_per_s_ = bytes_per_s;
    note_traffic();
  }
  // A random factor for the next stretches of work: host times vary from batch to batch.
  [[nodiscard]] double variation() { return variation_.next(); }
  void follow(const ProgressListener& listener) { listener_ = listener; }

  [[nodiscard]] cpu::ThreadStatistics statistics() const { return cpu_.statistics(thread_); }

 private:
  void changed(cpu::State state, const gpu::HostProgress& progress);
  void note_traffic();

  cpu::Cpu& cpu_;
  std::optional<memory::Traffic>& traffic_;
  const Costs& costs_;
  Sync sync_;
  sim::LognormalFactors variation_;
  TimeAccount& account_;
  LaunchLock* lock_ = nullptr;  // null: no other thread of the process launches
  ProgressListener listener_;
  bool on_core_ = false;
  Phase phase_ = Phase::idle;
  double computing_bytes_per_s_ = 0;
  memory::TeamId team_, demanded_by_;
  double demanded_ = 0;  // bytes/s, as last reported to `traffic_`
  cpu::ThreadId thread_;
};

// Waits for a flag. Waiting on the core is a single request; only sleeping takes a task.
class HostThread::Waiting {
 public:
  Waiting(HostThread& host, cpu::Flag& flag)
      : poll_(host.cpu_.spin(host.thread_, flag, host.costs_.sync.poll, host.sync_ == Sync::yield)) {
    if (host.sync_ == Sync::blocking) sleep_.emplace(host.sleep_in_call(flag));
    if (host.sync_ == Sync::spin && host.costs_.sync.most_spun != sim::Duration::max())
      sleep_.emplace(process::wait_for(host.cpu_, host.thread_, flag, host.sync_, host.costs_.sync));
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <sim::ProcessPromise P>
  bool await_suspend(std::coroutine_handle<P> waiter) {
    if (!sleep_) return poll_.await_suspend(waiter);
    sleep_->await_suspend(waiter);
    return true;
  }
  void await_resume() {
    if (sleep_) sleep_->await_resume();
  }

 private:
  decltype(std::declval<cpu::Cpu&>().spin({}, std::declval<cpu::Flag&>(), {})) poll_;
  std::optional<sim::Task<>> sleep_;
};

inline HostThread::Waiting HostThread::wait_for(cpu::Flag& flag) {
  return {*this, flag};
}

}  // namespace jostle::process
