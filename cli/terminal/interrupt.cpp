#include "cli/terminal/interrupt.hpp"

#include <csignal>

namespace jostle::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait for a lock");

}  // namespace

const std::atomic<bool>& handle_signals() {
  interrupted = false;
  struct sigaction on_interrupt {};
  on_interrupt.sa_handler = [](int) { interrupted.store(true, std::memory_order_relaxed); };
  on_interrupt.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&on_interrupt.sa_mask);
  sigaction(SIGINT, &on_interrupt, nullptr);

  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGPIPE, &ignore, nullptr);
  return interrupted;
}

}  // namespace jostle::cli
