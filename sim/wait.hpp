// Who waits for what: what the watchdog needs to name, when a run is stuck, each process and its obstacle.
//
// Condition and Resource do this by themselves. An awaitable of one's own derives from Waitable (or holds
// one), keeps a WaitNote in its awaiter, and calls begin() when it suspends.
#pragma once

#include <coroutine>
#include <list>
#include <string>
#include <utility>

namespace jostle::sim {

// Something a process may wait for.
class Waitable {
 public:
  explicit Waitable(std::string name) : name_(std::move(name)) {}
  virtual ~Waitable() = default;
  Waitable(const Waitable&) = delete;
  Waitable& operator=(const Waitable&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Who has it, for the report of a stuck run; empty if nobody is known to.
  [[nodiscard]] virtual std::string held_by() const { return {}; }

 private:
  std::string name_;
};

class Engine;
struct Promise;

// What the engine knows of a root coroutine.
struct ProcessState {
  Engine* engine = nullptr;
  std::string name;
  bool daemon = false;                      // serves others: may wait for ever without the run being stuck
  const Waitable* waiting_for = nullptr;    // null: running, about to, or in a delay
  Promise* innermost = nullptr;             // of the chain root → task → task that is suspended
  std::list<ProcessState>::iterator place;  // among the engine's
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
