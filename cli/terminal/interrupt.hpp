// Handling of signals. Ctrl-C (SIGINT), SIGTERM and SIGHUP raise a flag that runs and readers poll. The
// program is ended if it has not ended within a second; a second signal ends it at once.
#pragma once

#include <atomic>

namespace jostle::cli {

// Installs the handlers and returns the flag, lowered (input/interruption.hpp). Ignores SIGPIPE and SIGXFSZ,
// so that writing to a closed pipe or beyond a limit fails with an error.
[[nodiscard]] const std::atomic<bool>& handle_signals();

// The signal that raised the flag; 0 if none did.
[[nodiscard]] int ending_signal();

}  // namespace jostle::cli
