// Records the object that each process waits for, so that the watchdog can report it when a run is stuck.
//
// Condition and Resource do this already. Any other awaitable derives from Waitable (or contains one), keeps
// a WaitNote in its awaiter, and calls begin() when it suspends.
#pragma once

#include <coroutine>
#include <list>
#include <string>
#include <utility>

namespace jostle::sim {

// An object that a process can wait for.
class Waitable {
 public:
  explicit Waitable(std::string name) : name_(std::move(name)) {}
  virtual ~Waitable() = default;
  Waitable(const Waitable&) = delete;
  Waitable& operator=(const Waitable&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Name of the process that holds this object, for the report of a stuck run; empty if unknown.
  [[nodiscard]] virtual std::string held_by() const { return {}; }

 private:
  std::string name_;
};

class Engine;
struct Promise;

// The engine's record of a root coroutine.
struct ProcessState {
  Engine* engine = nullptr;
  std::string name;
  bool daemon = false;  // it serves other processes, and may wait forever without the run being stuck
  const Waitable* waiting_for = nullptr;  // null: running, about to run, or in a delay
  Promise* innermost = nullptr;  // the suspended coroutine at the end of the chain root → task → task
  std::list<ProcessState>::iterator place;  // iterator in the engine's list
};

// One wait, from suspension to resumption; lives in an awaiter.
class WaitNote {
 public:
  WaitNote() = default;
  WaitNote(const WaitNote&) = delete;
  WaitNote& operator=(const WaitNote&) = delete;
  ~WaitNote() { end(); }

  template <class P>
  void begin(std::coroutine_handle<P> waiter, const Waitable& what) {
    process_ = waiter.promise().process;
    process_->waiting_for = &what;
  }
  void end() {
    if (process_ != nullptr) process_->waiting_for = nullptr;
    process_ = nullptr;
  }
  [[nodiscard]] ProcessState* process() const { return process_; }

 private:
  ProcessState* process_ = nullptr;
};

}  // namespace jostle::sim
