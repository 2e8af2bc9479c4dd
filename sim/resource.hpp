// The objects that processes wait for: Condition (until notified) and Resource (a FIFO of n servers).
//
// Either may be destroyed before or after the engine and its processes. A process that waits for a destroyed
// one is never resumed.
#pragma once

#include <coroutine>
#include <cstddef>
#include <string>
#include <utility>

#include "sim/engine.hpp"
#include "sim/wait.hpp"

namespace jostle::sim {

// A doubly linked list through its elements. Each element can remove itself.
template <class T>
class LinkedList {
 public:
  void push_back(T& item) {
    item.list = this;
    item.previous = last_;
    item.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &item;
    last_ = &item;
    ++size_;
  }
  void remove(T& item) {
    (item.previous != nullptr ? item.previous->next : first_) = item.next;
    (item.next != nullptr ? item.next->previous : last_) = item.previous;
    item.list = nullptr;
    --size_;
  }
  [[nodiscard]] T* first() const { return first_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
  std::size_t size_ = 0;
};

// A coroutine in a queue. It lives in the awaiter and leaves the queue if the frame is destroyed.
struct Waiter {
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    if (list != nullptr) list->remove(*this);
  }

  std::coroutine_handle<> coroutine;
  WaitNote note;
  LinkedList<Waiter>* list = nullptr;
  Waiter* previous = nullptr;
  Waiter* next = nullptr;
};

// Wakes waiting processes when notified. It stores no state, so wait in a loop on the actual condition:
//   while (queue.empty()) co_await not_empty.wait();
class Condition : public Waitable {
 public:
  Condition(Engine& engine, std::string name) : Waitable(std::move(name)), engine_(&engine) {}
  ~Condition() override;

  class Wait;
  // co_await condition.wait();
  [[nodiscard]] Wait wait();
  // Resumes all current waiters, first come, first served, after the current handler.
  void notify_all();
  // Resumes the process that has waited longest, if any.
  void notify_one();
  [[nodiscard]] std::size_t waiting() const { return waiters_.size(); }

 private:
  Engine* engine_;
  LinkedList<Waiter> waiters_;
};

class Condition::Wait {
 public:
  bool await_ready() const noexcept { return false; }
  template <ProcessPromise P>
  void await_suspend(std::coroutine_handle<P> handle) {
    waiter_.coroutine = handle;
    waiter_.note.begin(handle, condition_);
    condition_.waiters_.push_back(waiter_);
  }
  void await_resume() const noexcept {}

 private:
  friend class Condition;
  explicit Wait(Condition& condition) : condition_(condition) {}
  Condition& condition_;
  Waiter waiter_;
};

inline Condition::Wait Condition::wait() {
  return Wait{*this};
}

// n equal servers, first come, first served. `const auto lease = co_await cores.acquire();` holds a server
// until the lease is destroyed or released.
class Resource : public Waitable {
 public:
  class Lease;
  class Acquire;

  Resource(Engine& engine, std::string name, std::size_t capacity)
      : Waitable(std::move(name)), engine_(&engine), capacity_(capacity) {}
  ~Resource() override;

  [[nodiscard]] Acquire acquire();
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t in_use() const { return leases_.size() + granted_; }
  [[nodiscard]] std::size_t waiting() const { return waiters_.size(); }
  [[nodiscard]] std::string held_by() const override;

 private:
  friend class Lease;
  void hand_on();

  Engine* engine_;
  std::size_t capacity_;
  std::size_t granted_ = 0;  // servers granted to processes that have not been resumed yet
  LinkedList<Waiter> waiters_;
  LinkedList<Lease> leases_;
};

class [[nodiscard]] Resource::Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept { take_over(other); }
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release();
      take_over(other);
    }
    return *this;
  }
  ~Lease() { release(); }
  // Returns the server; the process that has waited longest gets it.
  void release() noexcept {
    if (list == nullptr) return;
    list->remove(*this);
    resource->hand_on();
  }

 private:
  friend class Resource;
  friend class LinkedList<Lease>;
  Lease(Resource& owner, ProcessState* who) : resource(&owner), holder(who) {
    owner.leases_.push_back(*this);
  }
  void take_over(Lease& other) noexcept {
    if (other.list == nullptr) return;
    resource = other.resource;
    holder = other.holder;
    LinkedList<Lease>* const from = other.list;
    from->remove(other);
    from->push_back(*this);
  }

  Resource* resource = nullptr;
  ProcessState* holder = nullptr;
  LinkedList<Lease>* list = nullptr;
  Lease* previous = nullptr;
  Lease* next = nullptr;
};

class Resource::Acquire {
 public:
  bool await_ready() const noexcept { return false; }
  template <ProcessPromise P>
  bool await_suspend(std::coroutine_handle<P> handle) {
    process_ = handle.promise().process;
    if (resource_.waiters_.size() == 0 && resource_.in_use() < resource_.capacity_) {
      ++resource_.granted_;
      return false;
    }
    waiter_.coroutine = handle;
    waiter_.note.begin(handle, resource_);
    resource_.waiters_.push_back(waiter_);
    return true;
  }
  Lease await_resume() {
    --resource_.granted_;
    return Lease{resource_, process_};
  }

 private:
  friend class Resource;
  explicit Acquire(Resource& resource) : resource_(resource) {}
  Resource& resource_;
  ProcessState* process_ = nullptr;
  Waiter waiter_;
};

inline Resource::Acquire Resource::acquire() {
  return Acquire{*this};
}

}  // namespace jostle::sim
