#include "python/call.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/command_line.hpp"
#include "cli/laboratory/laboratory.hpp"
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

namespace {

int run_command(const std::vector<std::string>& arguments, const cli::Terminal::Settings& settings,
                const std::atomic<bool>* interrupted) {
  std::vector<const char*> words{"jostle"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  return cli::command_line(static_cast<int>(words.size()) - 1, words.data(), settings, cli::laboratory(),
                           interrupted);
}

}  // namespace

CommandEnd command(const std::vector<std::string>& arguments, pybind11::object progress) {
  Call call(std::move(progress));
  return call.run([&] {
    CommandEnd end;
    cli::Terminal::Settings settings;
    settings.output = &end.output;
    settings.messages = &end.messages;
    settings.told = [&call](double done) { call.tell(done); };
    end.code = run_command(arguments, settings, call.interrupt());
    return end;
  });
}

int command_line(const std::vector<std::string>& arguments) {
  const pybind11::gil_scoped_release release;
  return run_command(arguments, cli::Terminal::detect(), nullptr);
}

}  // namespace jostle::python
