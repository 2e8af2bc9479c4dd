// Ctrl-C sets a flag that runs poll; a second Ctrl-C ends the program at once.
#pragma once

#include <atomic>

namespace jostle::cli {

// Makes SIGINT set the returned flag, and ignores SIGPIPE, so that writing to a closed pipe fails with an
// error. The flag is the only global variable of the command, because a signal handler takes no context.
[[nodiscard]] const std::atomic<bool>& handle_signals();

}  // namespace jostle::cli
