// The GPU shared in time: one context at a time, in turns (turns.hpp).
//
// Between two interactions (a batch is enqueued, a host changes its pace, a batch ends, the owner runs out of
// work, its slice expires) everything is known. So one event covers all kernels until the next interaction.
// An earlier interaction accrues the work done and plans anew.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "models/gpu/advance.hpp"
#include "models/gpu/batches.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/retimed.hpp"
#include "models/gpu/spec.hpp"
#include "models/gpu/turns.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

class TimeSharedGpu final : public Gpu {
 public:
  // The engine must outlive the GPU and must not run after the GPU is destroyed. `seed` is for the jitter of
  // slices.
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
  [[nodiscard]] sim::Duration process_running_time(ContextId context) override {
    return running_time(context);
  }
  [[nodiscard]] Usage used() override;
  [[nodiscard]] sim::Duration busy() override;
  [[nodiscard]] sim::Duration switching() override { return turns_.switching(); }
  [[nodiscard]] std::int64_t switches() const override { return turns_.switches(); }
  [[nodiscard]] std::uint64_t unseen(ContextId context) override {
    accrue();
    return get(context).unseen;
  }
  [[nodiscard]] std::uint64_t unfinished(ContextId context) override {
    accrue();
    return get(context).batches.size();
  }

 private:
  struct Context {
    TimeSharedGpu* gpu = nullptr;
    ContextId id;
    ContextSpec spec;
    Batches batches;
    Position position;  // in the oldest batch
    ContextState state = ContextState::empty;
    std::uint64_t unseen = 0;       // batches that are finished but not yet seen by the host
    sim::EventId arrival;           // its next launch, while it has no work and does not own the GPU
    sim::Duration refill_at_start;  // for the observer: cache refill before the first kernel of the turn
    sim::Time kernel_began;         // for the observer
    sim::Duration executed;         // accrued, all batches
    sim::Duration refilled;  // the cache refill under way: not in `used`, so that readings do not divide it
    // Accrued: finished batches, cache refills, and the oldest batch before the last change of rates.
    Usage used;
    std::optional<Usage> used_now;  // with the batch in progress; none: not computed since a change
    RetimedKernels retimed;
    sim::TrackId stream = sim::TrackId::none;
    bool drawn = false;  // the timeline shows that the oldest batch has begun

    void arrive() { gpu->arrived(*this); }
    // The kernel in progress of its oldest batch (there is one), at the rates when it was last planned.
    [[nodiscard]] Underway underway() const {
      return jostle::gpu::underway(batches.front(), spec.per_launch, position);
    }
  };

  const Usage& used_by(Context& context);
  [[nodiscard]] Context& get(ContextId id) { return contexts_[id.index]; }

  using Mode = Turns::Mode;
  [[nodiscard]] bool contended() const { return turns_.contended(); }
  [[nodiscard]] bool has_launched_work(const Context& context) const;
  void work_changed(Context& context);
  void watch_for_launch(Context& context);
  void arrived(Context& context);
  void joined(Context& context);

  void retime(Context& context);
  void begin_turn();
  void go_on();
  void out_of_work();
  void plan();
  [[nodiscard]] sim::Duration drain_of(const Batch& batch, const Position& position) const;
  void accrue();
  void accrue_to(const Position& position, sim::Time at);
  [[nodiscard]] static Usage used_in_refill(const Context& context);
  static void book_refill(Context& context);
  void replay(Context& context, const Position& from, sim::Time since);
  void due();
  void finish_batch(Context& context);
  void leave(bool expired);
  void switch_in();
  void see_finished(Context& context);
  void set_state(Context& context, ContextState state);
  void set_event(sim::Time at);

  sim::Engine& engine_;
  Spec spec_;
  Turns turns_;
  KernelObserver observer_;
  Rates rates_;
  std::uint64_t epoch_ = 0;  // number of changes of rates so far
  std::deque<Context> contexts_;
  Context* owner_ = nullptr;  // owner of the turns
  sim::Time accrued_;         // the owner's position is valid at this time
  Advance planned_;
  std::size_t passed_ = 0;  // the owner's batches that will be done before the planned one
  sim::EventId event_;
  sim::Duration busy_;
};

}  // namespace jostle::gpu
