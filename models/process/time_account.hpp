// Where a process's time goes: every instant belongs to the first share (share.hpp) whose cause is true.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/cpu/thread.hpp"
#include "models/dla/dla.hpp"
#include "models/gpu/gpu.hpp"
#include "models/process/share.hpp"
#include "sim/engine.hpp"
#include "sim/time.hpp"

namespace jostle::process {

// What the host thread is at.
enum class Phase : std::uint8_t { idle, enqueuing, synchronising, computing };

class TimeAccount {
 public:
  // `api_share`: of the time on a core while enqueuing, what passes inside CUDA calls. The engine must
  // outlive it.
  TimeAccount(const sim::Engine& engine, double api_share) : engine_(engine), api_share_(api_share) {}
  TimeAccount(const TimeAccount&) = delete;
  TimeAccount& operator=(const TimeAccount&) = delete;

  // The process runs kernels in this context, to be asked how long; without one it runs none.
  void follow(gpu::Gpu& gpu, gpu::ContextId context) { kernels_.emplace(Kernels{gpu, context}); }

  // What is true from now on.
  void set_phase(Phase phase) { settle(), phase_ = phase; }
  void set_thread(cpu::State state) { settle(), thread_ = state; }
  void set_context(gpu::ContextState state) { settle(), context_ = state; }
  void set_outstanding(bool work) { settle(), outstanding_ = work; }
  void set_dla(dla::TaskState state) { settle(), dla_ = state; }
  // Whether any of the other threads of its team has a core.
  void set_helped(bool helped) { settle(), helped_ = helped; }
  void set_copying(bool copying) { settle(), copying_ = copying; }
  void set_link(bool under_way) { settle(), link_ = under_way; }

  // Attributes the time since the last change. Several things change at one instant: the GPU is asked once.
  void settle() {
    if (engine_.now() != since_) attribute();
  }
  // Forgets the past (the warm-up ends).
  void clear();

  [[nodiscard]] sim::Duration in(Share share) const { return spent_[index_of(share)]; }
  [[nodiscard]] sim::Duration elapsed() const;
  // Time of enqueue calls, by what the thread was at: EC = launch + reschedule + compute + blocking.
  struct Enqueue {
    sim::Duration launch, reschedule, compute, blocking;
  };
  [[nodiscard]] const Enqueue& enqueue() const { return enqueue_; }

 private:
  struct Kernels {
    gpu::Gpu& gpu;
    gpu::ContextId context;
  };

  void attribute();
  void add(Share share, sim::Duration time) { spent_[index_of(share)] += time; }
  [[nodiscard]] Share cause() const;

  const sim::Engine& engine_;
  std::optional<Kernels> kernels_;
  double api_share_;
  Phase phase_ = Phase::idle;
  cpu::State thread_ = cpu::State::sleeping;
  gpu::ContextState context_ = gpu::ContextState::empty;
  dla::TaskState dla_ = dla::TaskState::finished;
  bool outstanding_ = false;  // batches not finished on GPU or DLA
  bool helped_ = false;
  bool copying_ = false;
  bool link_ = false;
  sim::Time since_;        // settled up to here
  sim::Duration running_;  // time of its kernels by then
  std::array<sim::Duration, share_count> spent_{};
  Enqueue enqueue_;
};

}  // namespace jostle::process
