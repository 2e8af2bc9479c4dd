// The sharing law written down a second time, slowly: a GPU with an event for every launch, every start and
// every end of a kernel. It shares no code with TimeSharedGpu but the arithmetic of occupancy.hpp (how long a
// block still runs, what saving its state costs) and of a kernel at other rates, and must agree with it to
// the picosecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "models/gpu/gpu.hpp"
#include "models/gpu/spec.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace jostle::gpu::test {

class ReferenceGpu final : public Gpu {
 public:
  // `seed`: of the spread of slices, as TimeSharedGpu draws it.
  ReferenceGpu(sim::Engine& engine, const Spec& spec, std::uint64_t seed)
      : engine_(engine), spec_(spec), random_(seed, "gpu slices") {}

  ContextId create_context(const ContextSpec& spec) override;
  void set_observer(const KernelObserver& observer) override { observer_ = observer; }
  void set_rates(const Rates& rates) override;
  void enqueue(ContextId id, const gpu::KernelSequence& kernels, bool gated) override;
  void begin_launches(ContextId id, const gpu::KernelSequence& kernels, const LaunchPlan& plan,
                      bool gated) override;
  void open(ContextId id) override;
  void host_progress(ContextId id, const HostProgress& progress) override;
  void finish_launches(ContextId id) override;

  [[nodiscard]] Running running(ContextId id) override;
  [[nodiscard]] sim::Duration running_time(ContextId id) override;
  [[nodiscard]] sim::Duration process_running_time(ContextId id) override { return running_time(id); }
  [[nodiscard]] Usage used() override;
  [[nodiscard]] sim::Duration busy() override;
  [[nodiscard]] sim::Duration switching() override;
  [[nodiscard]] std::int64_t switches() const override { return switches_; }
  [[nodiscard]] std::uint64_t unseen(ContextId id) override { return contexts_[id.index].unseen; }
  [[nodiscard]] std::uint64_t unfinished(ContextId id) override { return contexts_[id.index].batches.size(); }

 private:
  struct Work {
    const gpu::KernelSequence* kernels = nullptr;
    bool gated = false;
    bool kernel_by_kernel = false;
    LaunchPlan plan;
    std::size_t launched = 0;  // kernels, of the first on
  };
  struct Context {
    ReferenceGpu* gpu = nullptr;
    ContextId id;
    ContextSpec spec;
    std::deque<Work> batches;
    HostProgress host;                       // of the newest batch, while it is being launched
    sim::EventId launch;                     // of its next kernel
    std::size_t kernel = 0;                  // of the oldest batch: executing, or next
    gpu::Kernel timed;                       // that kernel at the rates of its last execution
    sim::Duration front_end, rest;           // of that kernel, still to pass
    sim::Time began;                         // its start, if it has begun
    sim::Duration launch_gap, cache_refill;  // to pass before the kernel goes on
    sim::Duration refill_before;             // of the next stamp of a start: a kernel begins with its refill
    ContextState state = ContextState::empty;
    std::uint64_t unseen = 0;
    sim::Duration ran;
    gpu::Usage used;

    [[nodiscard]] sim::Duration done() const { return timed.duration - rest; }  // of the kernel
    void launch_next() { gpu->launch_due(*this); }
  };
  enum class Mode { idle, turn, holding, switching };
  enum class Doing { nothing, in_launch_gap, refilling, front_end, executing };

  // Launches.
  void push(Context& context, const Work& work);
  void prepare_kernel(Context& context);
  [[nodiscard]] gpu::Kernel at_rates(const Context& context) const;
  void retime(Context& context) const;
  [[nodiscard]] sim::Time next_launch(const Context& context) const;
  void launch_until_now(Context& context);
  void launch_due(Context& context);
  void work_arrived(Context& context);
  [[nodiscard]] bool ready(const Context& context) const;
  // Turns.
  void join(Context& context);
  void begin_turn();
  void decide_soon();
  void decide();
  void proceed();
  void execute();
  void begin(Doing what, sim::Duration duration);
  void interrupt();
  void step_over();
  void kernel_over();
  void batch_over();
  void ran_dry();
  void slice_over();
  void expire();
  void hold_over();
  void leave(bool expired);
  void handed_over();
  void see(Context& context);
  void set_state(Context& context, ContextState state);
  [[nodiscard]] bool contended() const;
  [[nodiscard]] bool partly_done(const Context& context) const;
  void again(sim::EventId& event, sim::Time at, sim::Action action);

  sim::Engine& engine_;
  Spec spec_;
  sim::RandomStream random_;
  KernelObserver observer_;
  Rates rates_;
  std::deque<Context> contexts_;
  Context* owner_ = nullptr;
  Mode mode_ = Mode::idle;
  Doing doing_ = Doing::nothing;
  sim::Time doing_since_, doing_until_;
  sim::EventId step_, decision_, expiry_, hold_, handover_;
  sim::Time turn_began_, turn_ends_, idle_since_, switch_began_;
  bool draining_ = false;
  sim::Duration switched_;
  std::int64_t switches_ = 0;
};

}  // namespace jostle::gpu::test
