// Simulated actors as coroutines: Process (started by Engine::spawn) and Task<T> (a subroutine of a process,
// awaited).
//
//   Process camera(Engine& engine, Gpu& gpu) {
//     for (;;) { co_await engine.delay(milliseconds(33)); co_await infer(gpu); }
//   }
//   Task<Duration> infer(Gpu& gpu) { ... co_return elapsed; }
//
// A task starts as soon as it is awaited, and its parent continues as soon as the task ends. Both go through
// the engine's loop, so the stack does not grow with the nesting of tasks, with or without optimisation.
// Arguments that a coroutine takes by reference must outlive it. An exception that leaves a task reaches its
// parent; one that leaves a process ends the run and is rethrown by Engine::run.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "sim/frame_pool.hpp"
#include "sim/wait.hpp"

namespace jostle::sim {

// Continues with `next` as soon as the running coroutine has suspended.
void continue_with(Engine& engine, std::coroutine_handle<> next);

// The common part of the promises of Process and Task.
struct Promise {
  ProcessState* process = nullptr;
  Promise* parent = nullptr;  // null for the root
  std::coroutine_handle<> self;
  std::coroutine_handle<>* owner =
      nullptr;  // the handle in the awaited Task; cleared if the frame is destroyed first

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }
};

template <class P>
concept ProcessPromise = std::derived_from<P, Promise>;

class Process {
 public:
  struct promise_type : Promise {
    promise_type() = default;
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type();  // leaves the engine

    Process get_return_object() {
      self = std::coroutine_handle<promise_type>::from_promise(*this);
      return Process{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception();
  };

  Process(Process&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Process& operator=(Process other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Process() {
    if (handle_) handle_.destroy();
  }

 private:
  friend class Engine;
  explicit Process(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

template <class T = void>
class Task;

namespace detail {

struct TaskPromise : Promise {
  std::exception_ptr error;

  struct Finish {
    bool await_ready() noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> ended) noexcept {
      TaskPromise& promise = ended.promise();
      promise.process->innermost = promise.parent;
      promise.owner = nullptr;
      continue_with(*promise.process->engine, promise.parent->self);
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  Finish final_suspend() noexcept { return {}; }
  void unhandled_exception() { error = std::current_exception(); }
};

template <class T>
struct TaskResult : TaskPromise {
  std::optional<T> value;
  void return_value(T result) { value.emplace(std::move(result)); }
  T take() { return std::move(*value); }
};

template <>
struct TaskResult<void> : TaskPromise {
  void return_void() {}
  void take() {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type : detail::TaskResult<T> {
    Task get_return_object() {
      this->self = std::coroutine_handle<promise_type>::from_promise(*this);
      return Task{this->self};
    }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // A task is awaited once; the awaiting coroutine stays suspended until it ends.
  bool await_ready() noexcept { return false; }
  template <ProcessPromise P>
  void await_suspend(std::coroutine_handle<P> parent) {
    promise_type& task = promise();
    task.process = parent.promise().process;
    task.parent = &parent.promise();
    task.owner = &handle_;
    task.process->innermost = &task;
    continue_with(*task.process->engine, handle_);
  }
  T await_resume() {
    promise_type& task = promise();
    if (task.error) std::rethrow_exception(task.error);
    return task.take();
  }

 private:
  explicit Task(std::coroutine_handle<> handle) : handle_(handle) {}
  [[nodiscard]] promise_type& promise() {
    return std::coroutine_handle<promise_type>::from_address(handle_.address()).promise();
  }
  std::coroutine_handle<> handle_;
};

}  // namespace jostle::sim
