// A call from Python into jostle. The work is done on its own thread, without the interpreter's lock, while
// the calling thread waits, shows progress and checks for Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <optional>
#include <type_traits>

namespace jostle::python {

class Call {
 public:
  // `progress`: None, or a function of the completed share (0 to 1), called by the calling thread now and
  // then.
  explicit Call(pybind11::object progress) : progress_(std::move(progress)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The flag that Ctrl-C sets for the work. All threads that do the work use it too (input/interruption.hpp).
  [[nodiscard]] const std::atomic<bool>* interrupt() const { return &interrupted_; }
  // Reports progress, from any thread.
  void tell(double share_done) { done_.store(share_done, std::memory_order_relaxed); }
  void tell(std::size_t done, std::size_t of) {
    tell(of == 0 ? 1 : static_cast<double>(done) / static_cast<double>(of));
  }

  // Returns the result of `work`. Throws its exceptions, and the Python error that a signal or `progress`
  // raised, which stops the work first.
  template <class Work>
  std::invoke_result_t<Work> run(const Work& work) {
    std::optional<std::invoke_result_t<Work>> result;
    wait_for([&] { result.emplace(work()); });
    return std::move(*result);
  }

 private:
  void wait_for(const std::function<void()>& work);
  void attend();

  pybind11::object progress_;
  std::atomic<bool> interrupted_{false};
  std::atomic<double> done_{0};
  std::optional<pybind11::error_already_set> error_;
};

}  // namespace jostle::python
