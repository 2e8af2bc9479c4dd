// A call from Python into jostle. The work is done on its own thread, without the interpreter's lock, while
// the calling thread waits, shows progress and checks for Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

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

// The command `jostle` inside of Python's process, for what Python asks as the command does: it imports logs,
// validates, reproduces and writes pages.
struct CommandEnd {
  int code = 0;  // cli/terminal/exit_code.hpp
  std::string output, messages;
};

// Runs the command with these arguments (without its name) and keeps what it prints, as if both were files.
// `progress` and Ctrl-C are those of call.hpp; signal handlers stay Python's.
[[nodiscard]] CommandEnd command(const std::vector<std::string>& arguments, pybind11::object progress);

// Runs the command in place of this process's own work: it prints, and installs its signal handlers. Returns
// the exit code.
[[nodiscard]] int command_line(const std::vector<std::string>& arguments);

}  // namespace jostle::python
