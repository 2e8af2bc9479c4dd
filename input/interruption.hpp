// Whether somebody wants the work at hand to end: the user of the program (Ctrl-C, SIGTERM, SIGHUP), or
// whoever made the call that it is part of. What may wait for ever asks.
#pragma once

#include <atomic>
#include <exception>

namespace jostle::input {

// Stopped on request, where a partial result is not possible.
struct Interrupted : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// The flag of the work that this thread is doing: that of the innermost InterruptedBy, else the one below.
[[nodiscard]] const std::atomic<bool>& interruption();

// The flag that signal handlers set. One for the process, because a signal handler takes no context. A
// library without handlers never sets it.
[[nodiscard]] std::atomic<bool>& interruption_by_signal();

// While it lives, `flag` is that of this thread's work: of one call among several at a time (python/call).
// Who spreads work over threads gives each the flag of its own (scenarios/run/parallel). Readers and
// databases, far below, ask the thread, and so need not be handed a flag.
class InterruptedBy {
 public:
  explicit InterruptedBy(const std::atomic<bool>& flag);
  ~InterruptedBy();
  InterruptedBy(const InterruptedBy&) = delete;
  InterruptedBy& operator=(const InterruptedBy&) = delete;

 private:
  const std::atomic<bool>* before_;
};

// After a system call that a signal ended: throws Interrupted if the flag is set.
void throw_if_interrupted();

}  // namespace jostle::input
