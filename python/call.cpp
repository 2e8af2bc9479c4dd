#include "python/call.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "input/interruption.hpp"

namespace jostle::python {

// Runs Python's signal handlers (in its main thread) and the progress function; the interpreter's lock is
// held. The first error of either stops the work.
void Call::attend() {
  if (error_) return;
  try {
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    if (!progress_.is_none()) progress_(done_.load(std::memory_order_relaxed));
  } catch (const pybind11::error_already_set& error) {
    error_ = error;
    interrupted_ = true;
  }
}

void Call::wait_for(const std::function<void()>& work) {
  constexpr std::chrono::milliseconds tick{50};
  std::mutex guard;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr failure;
  std::thread worker([&] {
    const input::InterruptedBy mine(interrupted_);
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(guard);
    done = true;
    ended.notify_one();
  });
  {
    const pybind11::gil_scoped_release release;
    std::unique_lock lock(guard);
    while (!ended.wait_for(lock, tick, [&] { return done; })) {
      lock.unlock();
      {
        const pybind11::gil_scoped_acquire acquire;
        attend();
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (error_) throw pybind11::error_already_set(*error_);
  if (failure) std::rethrow_exception(failure);
  if (!progress_.is_none()) progress_(1.0);
}

}  // namespace jostle::python
