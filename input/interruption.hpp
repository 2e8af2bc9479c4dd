// Whether the user wants the program to end (Ctrl-C, SIGTERM, SIGHUP). What may wait for ever asks it.
#pragma once

#include <atomic>
#include <exception>

namespace jostle::input {

// Stopped on request, where a partial result is not possible.
struct Interrupted : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// The flag that signal handlers set. One for the process, because a signal handler takes no context, and a
// read of a pipe has to end wherever it happens. A library without handlers never sets it.
[[nodiscard]] std::atomic<bool>& interruption();

// After a system call that a signal ended: throws Interrupted if the flag is set.
void throw_if_interrupted();

}  // namespace jostle::input
