// The GPU shared in space: kernels of several streams run at once (the law: dispatcher.hpp).
//
// Streams of one process, and all processes under MPS, share the GPU so. Without MPS, processes take turns
// (turns.hpp): the streams of one process run while it has the GPU (streams.hpp), and stand still while
// another has it. A process is out of work when none of its streams has a launched kernel, an expiry saves
// the state of all kernels that are resident, and processes with one stream each get what they get from
// TimeSharedGpu (tests/models/gpu_agreement). Measured: calibration/evidence/h100-turns.
//
// If every context is a closed loop of batches and all loops are steady, batches are repeated, and kernels
// are no longer simulated (repeats.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/gpu/activity.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/spec.hpp"
#include "models/gpu/steady_loops.hpp"
#include "models/gpu/streams.hpp"
#include "models/gpu/turns.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

class SpaceSharedGpu final : public Gpu {
 public:
  // The engine must outlive the GPU and must not run after the GPU is destroyed. `seed` is for the jitter of
  // slices; `loops`: the precision with which loops are steady; none: kernels of all batches are simulated
  // one by one.
  SpaceSharedGpu(sim::Engine& engine, const Spec& spec, SpaceOf space, std::uint64_t seed = 1,
                 std::optional<LoopPrecision> loops = {});

  ContextId create_context(const ContextSpec& spec) override;
  void set_observer(const KernelObserver& observer) override { streams_.set_observer(observer); }
  void set_rates(const Rates& rates) override;

  void enqueue(ContextId context, const KernelSequence& kernels, bool gated) override;
  void begin_launches(ContextId context, const KernelSequence& kernels, const LaunchPlan& plan,
                      bool gated) override;
  void open(ContextId context) override;
  void host_progress(ContextId context, const HostProgress& progress) override;
  void finish_launches(ContextId context) override;

  [[nodiscard]] Running running(ContextId context) override { return up_to_now().running(context.index); }
  [[nodiscard]] sim::Duration running_time(ContextId context) override {
    return up_to_now().running_time(context.index);
  }
  [[nodiscard]] sim::Duration process_running_time(ContextId context) override {
    return up_to_now().active_in_process(context.index).kernels;
  }
  [[nodiscard]] Usage used() override { return up_to_now().used(); }
  [[nodiscard]] sim::Duration busy() override { return up_to_now().active().kernels; }
  [[nodiscard]] sim::Duration switching() override { return turns_.switching(); }
  [[nodiscard]] std::int64_t switches() const override { return turns_.switches(); }
  [[nodiscard]] sim::Duration repeating() override { return streams_.repeats().repeating(); }
  [[nodiscard]] std::uint64_t unseen(ContextId context) override { return streams_[context.index].unseen; }
  [[nodiscard]] std::uint64_t unfinished(ContextId context) override {
    return streams_[context.index].batches.size();
  }

 private:
  struct Context {
    ContextSpec spec;
    ContextState state = ContextState::empty;
    sim::TrackId track = sim::TrackId::none;
  };
  using Mode = Turns::Mode;

  Streams& up_to_now();
  void launches_changed(Stream& stream);
  void due();
  void step();
  [[nodiscard]] Streams::Places places() const;
  void schedule_next();
  void see_finished();
  void refresh_states();
  void refresh_state(std::size_t context);
  // Turns.
  [[nodiscard]] bool in_turns() const { return streams_.groups() > 1; }
  void note_waiting();
  void end_mode();
  void end_idleness();
  void check_turn();
  void begin_turn(sim::Duration wake);
  void resume();
  void end_turn(sim::Duration cost, bool without_work);

  sim::Engine& engine_;
  Spec spec_;
  Turns turns_;
  Streams streams_;
  Rates rates_;
  std::vector<Context> contexts_;
  bool resumed_ = false;  // in this step
  sim::EventId event_;
  bool telling_ = false;  // in see_finished()
  // The states of contexts whose kernels run were refreshed for this owner, and for a switch to it.
  std::optional<std::size_t> refreshed_for_;
  bool refreshed_for_switch_ = false;
};

}  // namespace jostle::gpu
