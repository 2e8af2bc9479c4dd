// Where a process's time goes: every instant belongs to the first share (share.hpp) whose cause is true.
#pragma once

#include <array>
#include <cstdint>

#include "models/cpu/thread.hpp"
#include "models/dla/dla.hpp"
#include "models/gpu/gpu.hpp"
#include "models/process/share.hpp"
#include "sim/time.hpp"

namespace jostle::process {

// What the host thread is at.
enum class Phase : std::uint8_t { idle, enqueuing, synchronising, computing };

class TimeAccount {
 public:
  // `api_share`: of the time on a core while enqueuing, what passes inside CUDA calls.
  explicit TimeAccount(double api_share) : api_share_(api_share) {}

  // What is true from `now` on; `running` is the process's GPU time so far.
  void set_phase(Phase phase, sim::Time now, sim::Duration running) { settle(now, running), phase_ = phase; }
  void set_thread(cpu::State state, sim::Time now, sim::Duration running) {
    settle(now, running), thread_ = state;
  }
  void set_context(gpu::ContextState state, sim::Time now, sim::Duration running) {
    settle(now, running), context_ = state;
  }
  void set_outstanding(bool work, sim::Time now, sim::Duration running) {
    settle(now, running), outstanding_ = work;
  }
  void set_dla(dla::TaskState state, sim::Time now, sim::Duration running) {
    settle(now, running), dla_ = state;
  }
  // Whether any of the other threads of its team has a core.
  void set_helped(bool helped, sim::Time now, sim::Duration running) {
    settle(now, running), helped_ = helped;
  }
  void set_copying(bool copying, sim::Time now, sim::Duration running) {
    settle(now, running), copying_ = copying;
  }

  void set_link(bool under_way, sim::Time now, sim::Duration running) {
    settle(now, running), link_ = under_way;
  }

  // Attributes the time since the last change.
  void settle(sim::Time now, sim::Duration running);
  // Forgets the past (the warm-up ends).
  void clear(sim::Time now, sim::Duration running);

  // As of the last settling.
  [[nodiscard]] sim::Time settled_at() const { return since_; }
  [[nodiscard]] sim::Duration running() const { return running_; }

  [[nodiscard]] sim::Duration in(Share share) const { return spent_[index_of(share)]; }
  [[nodiscard]] sim::Duration elapsed() const;
  // Time of enqueue calls, by what the thread was at: EC = launch + reschedule + compute + blocking.
  struct Enqueue {
    sim::Duration launch, reschedule, compute, blocking;
  };
  [[nodiscard]] const Enqueue& enqueue() const { return enqueue_; }

 private:
  void add(Share share, sim::Duration time) { spent_[index_of(share)] += time; }
  [[nodiscard]] Share cause() const;

  double api_share_;
  Phase phase_ = Phase::idle;
  cpu::State thread_ = cpu::State::sleeping;
  gpu::ContextState context_ = gpu::ContextState::empty;
  dla::TaskState dla_ = dla::TaskState::finished;
  bool outstanding_ = false;  // batches not finished on GPU or DLA
  bool helped_ = false;
  bool copying_ = false;
  bool link_ = false;
  sim::Time since_;
  sim::Duration running_;
  std::array<sim::Duration, share_count> spent_{};
  Enqueue enqueue_;
};

}  // namespace jostle::process
