// Requests to end the work at hand. They come from the user of the program (Ctrl-C, SIGTERM, SIGHUP) or from
// the caller of the function that does the work. Code that may wait for ever checks for them.
#pragma once

#include <atomic>
#include <exception>

namespace jostle::input {

// Thrown when work is stopped on request and a partial result is not possible.
struct Interrupted : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// The flag of this thread's work: that of the innermost InterruptedBy, else interruption_by_signal().
[[nodiscard]] const std::atomic<bool>& interruption();

// The flag that signal handlers set. There is one for the process, because a signal handler takes no context.
// A library without handlers never sets it.
[[nodiscard]] std::atomic<bool>& interruption_by_signal();

// While it lives, `flag` is the flag of this thread's work, for one call among several at a time
// (python/call). Code that spreads work over threads gives each its own flag (scenarios/run/parallel).
// Readers and databases, far below, use the thread's flag, so it need not be passed to them.
class InterruptedBy {
 public:
  explicit InterruptedBy(const std::atomic<bool>& flag);
  ~InterruptedBy();
  InterruptedBy(const InterruptedBy&) = delete;
  InterruptedBy& operator=(const InterruptedBy&) = delete;

 private:
  const std::atomic<bool>* before_;
};

// Called after a system call that a signal ended: throws Interrupted if the flag is set.
void throw_if_interrupted();

}  // namespace jostle::input
