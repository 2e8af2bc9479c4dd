// The GPU shared in space, as under CUDA's Multi-Process Service (MPS): kernels of all processes run at once,
// without turns and context switches.
//
// A what-if model without measurements behind it. The law: an SM serves one process at a time, and all
// processes share the DRAM bandwidth. If the kernels at full speed would together keep more than all SMs
// active, or use more than the whole bandwidth, all of them are slowed by the same factor. So small kernels
// use what others leave idle, and large kernels only save the context switches. Each kernel's end is an
// event, so simulation is slower than with TimeSharedGpu, which may advance many kernels in one event.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/gpu/advance.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/spec.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

class SpatiallySharedGpu final : public Gpu {
 public:
  // The engine must outlive the GPU and must not run after the GPU is destroyed.
  SpatiallySharedGpu(sim::Engine& engine, const Spec& spec) : engine_(engine), spec_(spec) {}

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
  [[nodiscard]] sim::Duration switching() override { return sim::Duration::zero(); }
  [[nodiscard]] std::int64_t switches() const override { return 0; }
  [[nodiscard]] std::uint64_t unseen(ContextId context) const override {
    return contexts_[context.index].unseen;
  }
  [[nodiscard]] std::uint64_t unfinished(ContextId context) const override {
    return contexts_[context.index].batches.size();
  }

 private:
  enum class Doing : std::uint8_t { nothing, starting, executing };
  struct Context {
    SpatiallySharedGpu* gpu = nullptr;
    ContextId id;
    ContextSpec spec;
    std::vector<Batch> batches;  // unfinished batches, oldest first
    HostProgress host;           // of the newest batch, while its kernels are being launched
    std::uint32_t kernel = 0;    // of the oldest batch: the kernel that is executing, or the next
    Doing doing = Doing::nothing;
    sim::Duration gap;   // still to pass before the next kernel starts
    Kernel timed;        // the executing kernel, at the current rates
    sim::Duration left;  // what is left of it, at full speed
    sim::Time began;     // for the observer
    sim::EventId event;  // the end of what it does now, or its next launch
    ContextState state = ContextState::empty;
    std::uint64_t unseen = 0;
    sim::Duration ran;
    Usage used;
    sim::TrackId track = sim::TrackId::none;

    void due() { gpu->due(*this); }
  };

  [[nodiscard]] Context& get(ContextId id) { return contexts_[id.index]; }
  void push(Context& context, const Batch& batch);
  void note_launches(Context& context);
  void work_changed(Context& context);
  void pursue(Context& context);
  void execute(Context& context);
  void due(Context& context);
  void kernel_over(Context& context);
  void accrue();
  void share();
  [[nodiscard]] bool idle() const;
  void set_state(Context& context, ContextState state);
  void set_event(Context& context, sim::Time at);

  sim::Engine& engine_;
  Spec spec_;
  KernelObserver observer_;
  Rates rates_;
  std::deque<Context> contexts_;
  double speed_ = 1;   // of every executing kernel, relative to its speed with the GPU to itself
  sim::Time accrued_;  // progress of what executes is accrued up to this time
  sim::Time idle_since_;
  sim::Duration busy_;
};

}  // namespace jostle::gpu
