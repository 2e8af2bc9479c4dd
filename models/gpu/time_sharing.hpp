// The GPU shared in time: one context at a time, in turns (the law: spec.hpp, TimeSlicing).
//
// Between two interactions (a batch is enqueued, a host changes pace, a batch ends, the owner runs out of
// work, its slice expires) everything is known, so one event stands for all the kernels until the next of
// them; what interferes earlier accrues what has been done and plans anew.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/gpu/advance.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/retimed.hpp"
#include "models/gpu/spec.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

class TimeSharedGpu final : public Gpu {
 public:
  // The engine must outlive the GPU, and not run after it is gone. `seed`: of the spread of slices.
  TimeSharedGpu(sim::Engine& engine, const Spec& spec, std::uint64_t seed = 1);

  ContextId create_context(const ContextSpec& spec) override;
  void set_observer(const KernelObserver& observer) override { observer_ = observer; }
  void set_rates(const Rates& rates) override;

  void enqueue(ContextId context, const KernelSequence& kernels, bool gated) override;
  void begin_launches(ContextId context, const KernelSequence& kernels, const LaunchPlan& plan,
                      bool gated) override;
  void open(ContextId context) override;
  void host_progress(ContextId context, const HostProgress& progress) override;
  void finish_launches(ContextId context) override;

  [[nodiscard]] Running running(ContextId context) override;
  [[nodiscard]] sim::Duration running_time(ContextId context) override;
  [[nodiscard]] sim::Duration busy() override;
  [[nodiscard]] sim::Duration switching() override;
  [[nodiscard]] std::int64_t switches() const override { return switches_; }
  [[nodiscard]] std::uint64_t unseen(ContextId context) const override { return get(context).unseen; }
  [[nodiscard]] std::uint64_t unfinished(ContextId context) const override {
    return get(context).batches.size();
  }

 private:
  struct Context {
    TimeSharedGpu* gpu = nullptr;
    ContextId id;
    ContextSpec spec;
    std::vector<Batch> batches;  // not finished, oldest first: one or two
    Position position;           // in the oldest
    HostProgress host;           // of the newest, while its kernels are being launched
    ContextState state = ContextState::empty;
    std::uint64_t unseen = 0;       // finished, not yet seen by the host
    sim::EventId arrival;           // its next launch, while it has no work and does not own the GPU
    sim::Duration refill_at_start;  // for the observer: refill before the first kernel of the turn
    sim::Time kernel_began;         // for the observer
    sim::Duration executed;         // accrued, all batches
    Usage used;                     // accrued: finished batches, cache refills, other rates of the oldest
    RetimedKernels retimed;
    sim::TrackId stream = sim::TrackId::none;
    bool drawn = false;  // the timeline shows the oldest batch as begun

    void arrive() { gpu->arrived(*this); }
    // The kernel it is in, of its oldest batch (there is one), at the rates of when it was last planned.
    [[nodiscard]] Underway underway() const {
      return jostle::gpu::underway(*batches.front().kernels,
                                   jostle::gpu::executed(batches.front(), spec.per_launch, position));
    }
  };

  // What the GPU does.
  enum class Mode : std::uint8_t {
    idle,       // nothing to do (the last owner keeps it)
    running,    // the owner's turn; also while a lone owner waits for its own next launch
    holding,    // the owner ran out of work and keeps the GPU for a while
    switching,  // being handed to `owner_`
  };

  [[nodiscard]] Context& get(ContextId id) { return contexts_[id.index]; }
  [[nodiscard]] const Context& get(ContextId id) const { return contexts_[id.index]; }

  [[nodiscard]] bool contended() const { return waiting_ > 0; }
  [[nodiscard]] bool has_launched_work(const Context& context) const;
  void note_launches(Context& context);
  void work_changed(Context& context);
  void watch_for_launch(Context& context);
  void arrived(Context& context);
  void joined(Context& context);

  void retime(Context& context);
  void begin_turn();
  void go_on();
  void ran_dry();
  void plan();
  void accrue();
  void replay(Context& context, const Position& from, sim::Time since);
  void due();
  void finish_batch(Context& context);
  void leave(bool expired);
  void see_finished(Context& context);
  [[nodiscard]] Context* next_waiting();
  void set_state(Context& context, ContextState state);
  void set_event(sim::Time at);

  sim::Engine& engine_;
  Spec spec_;
  sim::RandomStream random_;
  KernelObserver observer_;
  Rates rates_;
  std::uint64_t epoch_ = 0;       // changes of rates so far
  std::deque<Context> contexts_;  // in the order of the runlist
  Context* owner_ = nullptr;
  Mode mode_ = Mode::idle;
  int waiting_ = 0;        // contexts in ContextState::waiting
  bool draining_ = false;  // the slice has expired, the running block or kernel may still end
  sim::Time turn_began_;
  sim::Time turn_ends_ = sim::Time::never();
  sim::Time accrued_;  // the owner's position is as of then
  Advance planned_;
  sim::EventId event_;
  sim::Time idle_since_;
  sim::Time switch_began_;
  sim::Duration busy_, switching_;
  std::int64_t switches_ = 0;
  sim::TrackId track_ = sim::TrackId::none, waiting_counter_ = sim::TrackId::none;
};

}  // namespace jostle::gpu
