// Work that no signal divides.
#pragma once

#include <signal.h>  // pthread_sigmask is not in <csignal>

namespace jostle::output {

// Keeps signals from this thread until its end: what is done meanwhile is done whole.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~Uninterrupted() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

}  // namespace jostle::output
