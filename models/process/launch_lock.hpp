// The locks that the host threads of one process contend for while they launch: the driver's and, in Python,
// the interpreter's. An enqueue call is lengthened by the number of threads that are in one when it begins.
// No thread is ever stopped, so nothing can wait for itself.
#pragma once

#include <algorithm>

#include "models/process/spec.hpp"

namespace jostle::process {

// The factor on the host time of a call, and the share that is added to the host time of its launches.
struct Contention {
  double call = 1, launches = 0;
};

class LaunchLock {
 public:
  explicit LaunchLock(const LockSpec& spec) : spec_(spec) {}
  LaunchLock(const LaunchLock&) = delete;
  LaunchLock& operator=(const LaunchLock&) = delete;

  // A thread begins an enqueue call; it calls leave() when that has ended.
  [[nodiscard]] Contention enter() { return among(++launching_); }
  void leave() { --launching_; }

  // The contention among `threads` that launch. The interpreter's lock is the only server of a closed network
  // with as many customers: a call lasts as long as its own work, or as the lock's work for all of them.
  [[nodiscard]] Contention among(int threads) const {
    const double others = threads - 1;
    if (spec_.interpreter <= 0) return {.launches = spec_.driver * others};
    const double held = spec_.interpreter + spec_.handover * others;
    return {.call = std::max(1 - spec_.interpreter + held, held * threads)};
  }

 private:
  LockSpec spec_;
  int launching_ = 0;
};

}  // namespace jostle::process
