#include "input/interruption.hpp"

#include <utility>

namespace jostle::input {
namespace {

thread_local const std::atomic<bool>* of_thread = nullptr;  // null: the flag that signals set

}  // namespace

std::atomic<bool>& interruption_by_signal() {
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait for a lock");
  static constinit std::atomic<bool> flag{false};
  return flag;
}

const std::atomic<bool>& interruption() {
  return of_thread != nullptr ? *of_thread : interruption_by_signal();
}

InterruptedBy::InterruptedBy(const std::atomic<bool>& flag) : before_(std::exchange(of_thread, &flag)) {}

InterruptedBy::~InterruptedBy() {
  of_thread = before_;
}

void throw_if_interrupted() {
  if (interruption().load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace jostle::input
