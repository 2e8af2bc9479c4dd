#include "input/interruption.hpp"

namespace jostle::input {

std::atomic<bool>& interruption() {
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait for a lock");
  static constinit std::atomic<bool> flag{false};
  return flag;
}

void throw_if_interrupted() {
  if (interruption().load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace jostle::input
