// Waking of waiting processes, and handing a server to the next process.
#include "sim/resource.hpp"

namespace jostle::sim {

namespace {

// Removes the first waiter from the queue and resumes it.
void wake_first(Engine& engine, LinkedList<Waiter>& waiters) {
  Waiter& waiter = *waiters.first();
  waiters.remove(waiter);
  waiter.note.end();
  engine.resume_soon(waiter.coroutine);
}

void forget(LinkedList<Waiter>& waiters) {
  while (waiters.first() != nullptr) {
    Waiter& waiter = *waiters.first();
    waiters.remove(waiter);
    waiter.note.end();
  }
}

}  // namespace

Condition::~Condition() {
  forget(waiters_);
}

void Condition::notify_all() {
  while (waiters_.first() != nullptr) wake_first(*engine_, waiters_);
}

void Condition::notify_one() {
  if (waiters_.first() != nullptr) wake_first(*engine_, waiters_);
}

Resource::~Resource() {
  forget(waiters_);
  while (leases_.first() != nullptr) leases_.remove(*leases_.first());
}

void Resource::hand_on() {
  if (waiters_.first() == nullptr) return;
  ++granted_;
  wake_first(*engine_, waiters_);
}

std::string Resource::held_by() const {
  std::string names;
  for (const Lease* lease = leases_.first(); lease != nullptr; lease = lease->next) {
    if (!names.empty()) names += ", ";
    names += lease->holder->name;
  }
  return names;
}

}  // namespace jostle::sim
