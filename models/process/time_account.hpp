// Accounts for the time of a process: every instant belongs to the first share (share.hpp) whose cause is
// true. A process with several host threads has an account for each: the causes on the GPU are those of the
// process, those on cores are the thread's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cpu/cpu.hpp"
#include "models/cpu/thread.hpp"
#include "models/dla/dla.hpp"
#include "models/gpu/gpu.hpp"
#include "models/media/engine.hpp"
#include "models/process/share.hpp"
#include "sim/contract.hpp"
#include "sim/engine.hpp"
#include "sim/time.hpp"

namespace jostle::process {

// The threads that compute with a host thread, as far as they are told apart: where all have cores nobody
// asks.
struct TeamState {
  bool computes = false;  // one of them computes on a core
  bool spins = false;     // one spins on a core until there is work
  bool lacks = false;     // one has work and no core
  bool met = false;       // the host thread has done its own work, and waits for theirs
  bool operator==(const TeamState&) const = default;
};

// Activity of the host thread.
enum class Phase : std::uint8_t { idle, enqueuing, synchronising, computing };

class TimeAccount {
 public:
  // `api_share`: share of the time on a core while enqueuing that passes inside CUDA calls. The engine must
  // outlive the account.
  TimeAccount(const sim::Engine& engine, double api_share) : engine_(engine), api_share_(api_share) {}
  TimeAccount(const TimeAccount&) = delete;
  TimeAccount& operator=(const TimeAccount&) = delete;

  // The process runs kernels in this context, whose running time the account queries. A process without a
  // context runs none. Returns the account's number for the context: the contexts of several streams belong
  // to one process.
  std::size_t follow(gpu::Gpu& gpu, gpu::ContextId context) {
    contexts_.push_back({.gpu = &gpu, .id = context});
    if (next_ != nullptr) next_->follow(gpu, context);
    return contexts_.size() - 1;
  }

  // Follows the host thread. The account decides when the thread's phases must be reported at once
  // (Cpu::watch). `enqueuing`: always while the thread enqueues, because the GPU or the memory follows it
  // then.
  void follow(cpu::Cpu& cpu, cpu::ThreadId thread, bool enqueuing) {
    cpu_ = &cpu;
    host_ = thread;
    watched_enqueuing_ = enqueuing;
  }

  // Sets the activity from now on.
  void set_phase(Phase phase) {
    if (phase == Phase::enqueuing) {
      settle();
    } else {
      change();
    }
    phase_ = phase;
    watch();
  }
  // Sets the state of the thread since `at`. That is now, except for phases on a core that need not be
  // reported at once (Cpu::watch).
  void set_thread(cpu::State state, sim::Time at) {
    if (matters() && at != since_) attribute(at);
    thread_ = state;
  }
  void set_context(std::size_t context, gpu::ContextState state);
  void set_outstanding(std::size_t context, bool work);
  void set_dla(std::size_t context, dla::TaskState state);
  void set_engine(media::JobState state) { change(), engine_state_ = state; }
  // `helped`: any of the other threads of its team has a core.
  void set_helped(bool helped) { change(), helped_ = helped; }
  // The threads that help the host thread; `team` must outlive the account's use.
  void follow(const TeamState& team) { team_ = &team; }
  // To be called before that changes. Where the host thread computes and nobody lacks a core it makes no
  // difference. `lacks`: one of them does, before or after.
  void team_changes(bool lacks) {
    if (lacks || thread_ != cpu::State::on_core) change();
  }
  void change_copying(int change) {
    this->change(), copying_ += change;
    if (next_ != nullptr) next_->change_copying(change);
    sim::contract(copying_ >= 0, "the number of copies under way is never negative");
  }
  void set_link(bool under_way) { change(), link_ = under_way; }
  // A thread of the stages (StageLine) passes from one share to another; `idle`: it has nothing to do.
  void change_stage(Share from, Share to) {
    change(), --stage_threads_[index_of(from)], ++stage_threads_[index_of(to)];
    if (next_ != nullptr) next_->change_stage(from, to);
  }
  // Sets the share of the present enqueue call in which the thread waits for another thread of its process.
  // To be called as the call begins.
  void set_lock_wait(double share) { lock_wait_ = share; }
  // `next` accounts for another host thread of the process. It follows its own thread, and learns from this
  // account of what the GPU and the other engines do for the process, from now on.
  void pass_on_to(TimeAccount& next) { next_ = &next; }

  // Attributes the time since the last change. If several things change at one instant, the GPU is queried
  // once.
  void settle() {
    if (engine_.now() == since_) return;
    const bool in_phase = thread_ == cpu::State::switching || thread_ == cpu::State::refilling;
    if (in_phase && !watched_) cpu_->notify_phases(host_);
    if (engine_.now() != since_) attribute(engine_.now());
  }
  // Forgets the past (the warm-up ends).
  void clear();

  [[nodiscard]] sim::Duration in(Share share) const { return spent_[index_of(share)]; }
  [[nodiscard]] sim::Duration elapsed() const;
  // Time of enqueue calls, by the state of the thread: EC = launch + reschedule + compute + blocking. Waiting
  // for a lock is blocking.
  struct Enqueue {
    sim::Duration launch, reschedule, compute, blocking;
  };
  [[nodiscard]] const Enqueue& enqueue() const { return enqueue_; }

 private:
  struct Context {
    gpu::Gpu* gpu;
    gpu::ContextId id;
    gpu::ContextState state = gpu::ContextState::empty;
    dla::TaskState dla = dla::TaskState::finished;
    bool outstanding = false;  // batches not finished on GPU or DLA
  };

  void attribute(sim::Time until);
  // To be called before something changes. While the process waits for the GPU, nothing else decides where
  // its time goes, except for the time of enqueue calls.
  void change() {
    if (matters()) settle();
  }
  [[nodiscard]] bool matters() const { return wait_ == GpuWait::none || phase_ == Phase::enqueuing; }
  // While the process holds the GPU, the running time of its kernels can be queried only at the instant of a
  // change, so changes must be reported at once. (So they are for a process without a context, which computes
  // on cores alone.)
  void watch() {
    const bool watched = owns_ || contexts_.empty() || (watched_enqueuing_ && phase_ == Phase::enqueuing);
    if (watched == watched_ || cpu_ == nullptr) return;
    watched_ = watched;
    cpu_->watch(host_, watched);
  }
  void add(Share share, sim::Duration time) { spent_[index_of(share)] += time; }
  [[nodiscard]] Share cause() const;
  [[nodiscard]] bool spins_at_barrier() const;
  [[nodiscard]] sim::Duration lock_wait_in(sim::Duration time) const {
    return lock_wait_ > 0 ? sim::work_in(time, lock_wait_) : sim::Duration::zero();
  }
  [[nodiscard]] sim::Duration ran(sim::Duration elapsed);

  const sim::Engine& engine_;
  cpu::Cpu* cpu_ = nullptr;  // null: no thread is followed
  cpu::ThreadId host_;
  bool watched_ = true, watched_enqueuing_ = true;
  std::vector<Context> contexts_;
  sim::Duration running_;      // running time of its kernels up to since_
  bool may_have_run_ = false;  // its kernels, since running_ was read
  // State over all its contexts. owns_: one holds the GPU. wait_: none does, and one waits for it.
  // outstanding_: one has batches outstanding. dla_: the state on DLAs.
  bool owns_ = false;
  enum class GpuWait : std::uint8_t { none, turn, switching } wait_ = GpuWait::none;
  bool outstanding_ = false;
  dla::TaskState dla_ = dla::TaskState::finished;
  double api_share_;
  double lock_wait_ = 0;
  TimeAccount* next_ = nullptr;
  Phase phase_ = Phase::idle;
  cpu::State thread_ = cpu::State::sleeping;
  media::JobState engine_state_ = media::JobState::finished;
  bool helped_ = false;
  const TeamState* team_ = nullptr;
  int copying_ = 0;  // copies under way
  bool link_ = false;
  std::array<int, share_count>
      stage_threads_{};  // the stages', by share; those idle from the start are not counted
  sim::Time begun_;      // the account's beginning: the start of the run, or the end of the warm-up
  sim::Time since_;      // settled up to here
  std::array<sim::Duration, share_count> spent_{};
  Enqueue enqueue_;
};

}  // namespace jostle::process
