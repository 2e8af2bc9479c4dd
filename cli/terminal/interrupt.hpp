// Ctrl-C: raises a flag that a run looks at; a second one ends the program at once.
#pragma once

#include <atomic>

namespace jostle::cli {

// From now on SIGINT raises the flag returned, and a closed pipe is an error of the write instead of a
// signal. The flag is the one global of the command: a signal handler can reach nothing else.
[[nodiscard]] const std::atomic<bool>& handle_signals();

}  // namespace jostle::cli
