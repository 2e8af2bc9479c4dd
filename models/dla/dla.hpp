// A running DLA: one engine that executes tasks first come, first served, without preemption.
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

// State of a task. A submitted task is on its way to the engine.
enum class TaskState : std::uint8_t { submitted, waiting, running, finished };

// Called at every change of the task's state, at the instant of the change. It may submit another task.
struct TaskListener {
  void (*changed)(void* context, TaskState state) = nullptr;
  void* context = nullptr;
};

class Dla {
 public:
  // The engine must outlive the DLA and must not run after the DLA is destroyed.
  Dla(sim::Engine& engine, std::string name, const Spec& spec);
  Dla(const Dla&) = delete;
  Dla& operator=(const Dla&) = delete;

  // `task` must outlive its execution.
  void submit(const Task& task, const TaskListener& listener);

  // From now on the DLA competes for the memory as a client of `arbiter`, which must outlive it. Call once.
  void share_memory(memory::Arbiter& arbiter);
  // The share of the memory bandwidth that other users leave to the DLA, from now on: the memory-bound part
  // of a task takes 1 / share as long (0 < share <= 1).
  void set_memory_share(double share);
  // The engine's clock and the memory bandwidth, relative to those that task times are given at (> 0), from
  // now on.
  void set_rates(double clock, double memory);

  [[nodiscard]] const std::string& name() const { return name_; }
  // Time that the engine was busy up to now.
  [[nodiscard]] sim::Duration busy() const;
  // Totals of all tasks so far.
  [[nodiscard]] double dram_bytes() const { return bytes_ + part_done() * running().dram_bytes; }
  [[nodiscard]] double operations() const { return operations_ + part_done() * running().operations; }

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
  [[nodiscard]] const Task& running() const { return running_ ? *queue_.front().task : no_task_; }
  [[nodiscard]] double part_done() const;  // part of running() that is done
  static void notify(const Entry& entry, TaskState state) {
    if (entry.listener.changed != nullptr) entry.listener.changed(entry.listener.context, state);
  }

  sim::Engine& engine_;
  std::string name_;
  sim::Duration submit_;
  memory::Arbiter* arbiter_ = nullptr;
  memory::ClientId client_;
  std::deque<Entry> on_their_way_, queue_;  // the first of the queue is running
  bool running_ = false;
  double memory_share_ = 1;
  double clock_ = 1, memory_ = 1;
  double rate_ = 1;                    // speed of the running task
  sim::Duration left_;                 // remaining time of the running task at rate 1
  sim::Time accrued_until_;            // left_ and busy_ are valid at this time
  sim::Duration busy_;                 // value at accrued_until_
  double bytes_ = 0, operations_ = 0;  // totals of finished tasks
  Task no_task_;
  sim::EventId end_;
  sim::TrackId track_ = sim::TrackId::none;
};

}  // namespace jostle::dla
