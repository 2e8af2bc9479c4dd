// A DLA that runs: one engine, first come first served, which nothing interrupts.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "models/dla/spec.hpp"
#include "models/dla/task.hpp"
#include "models/memory/arbiter.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::dla {

// Where a task stands. `submitted` is on its way to the engine.
enum class TaskState : std::uint8_t { submitted, waiting, running, finished };

// Told of every change of the task's state at the instant it happens. It may submit again.
struct TaskListener {
  void (*changed)(void* context, TaskState state) = nullptr;
  void* context = nullptr;
};

class Dla {
 public:
  // The engine must outlive it, and not run after it is gone.
  Dla(sim::Engine& engine, std::string name, const Spec& spec);
  Dla(const Dla&) = delete;
  Dla& operator=(const Dla&) = delete;

  // `task` must outlive its execution.
  void submit(const Task& task, const TaskListener& listener);

  // Competes for the memory from now on, as a client of `arbiter`, which must outlive it. Once.
  void share_memory(memory::Arbiter& arbiter);
  // What other users of the memory leave: the memory-bound part of tasks takes 1 / share as long (0 < share
  // <= 1), from now on.
  void set_memory_share(double share);
  // The engine's clock and the memory's bandwidth, against those that tasks are given at (> 0), from now on.
  void set_rates(double clock, double memory);

  [[nodiscard]] const std::string& name() const { return name_; }
  // Up to now.
  [[nodiscard]] sim::Duration busy() const;
  [[nodiscard]] double dram_bytes() const;  // moved by all tasks so far

 private:
  struct Entry {
    const Task* task = nullptr;
    TaskListener listener;
  };

  void arrived();
  void start();
  void done();
  void accrue();
  void ask_for_memory();
  void retime();
  [[nodiscard]] double rate_of(const Task& task) const;
  static void tell(const Entry& entry, TaskState state) {
    if (entry.listener.changed != nullptr) entry.listener.changed(entry.listener.context, state);
  }

  sim::Engine& engine_;
  std::string name_;
  sim::Duration submit_;
  memory::Arbiter* arbiter_ = nullptr;
  memory::ClientId client_;
  std::deque<Entry> on_their_way_, queue_;  // the first of the queue runs
  bool running_ = false;
  double memory_share_ = 1;
  double clock_ = 1, memory_ = 1;
  double rate_ = 1;     // of the running task
  sim::Duration left_;  // of it, at rate 1
  sim::Time booked_;    // as of then
  sim::Duration busy_;  // up to then
  double bytes_ = 0;    // of finished tasks
  sim::EventId end_;
  sim::TrackId track_ = sim::TrackId::none;
};

}  // namespace jostle::dla
