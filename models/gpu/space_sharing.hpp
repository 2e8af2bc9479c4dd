// The GPU shared in space: kernels of several streams run at once (the law: dispatcher.hpp).
//
// Streams of one process, and all processes under MPS, share the GPU so. Without MPS, processes take turns:
// the streams of one process run while it has the GPU, and stand still while another has it. What a turn
// costs is as in TimeSharedGpu (TimeSlicing in spec.hpp), with the state of all kernels that are resident.
// Not modelled: interleave levels, and preemption at borders of blocks or kernels.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/gpu/advance.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/spec.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

// Who shares the GPU at one time.
enum class SpaceOf : std::uint8_t { each_process, all_processes };

class SpaceSharedGpu final : public Gpu {
 public:
  // The engine must outlive the GPU and must not run after the GPU is destroyed. `seed` is for the jitter of
  // slices.
  SpaceSharedGpu(sim::Engine& engine, const Spec& spec, SpaceOf space, std::uint64_t seed = 1);

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
  [[nodiscard]] Usage used() override;
  [[nodiscard]] sim::Duration busy() override;
  [[nodiscard]] sim::Duration switching() override;
  [[nodiscard]] std::int64_t switches() const override { return switches_; }
  [[nodiscard]] std::uint64_t unseen(ContextId context) override { return get(context).unseen; }
  [[nodiscard]] std::uint64_t unfinished(ContextId context) override { return get(context).batches.size(); }

 private:
  struct Context {
    ContextId id;
    ContextSpec spec;
    int sms = 0;  // that it may use at one time
    std::size_t group = 0;
    int stream = 0;                           // of the group's dispatcher
    std::vector<Batch> batches;               // unfinished batches, oldest first
    HostProgress host;                        // of the newest batch, while its kernels are being launched
    std::uint32_t kernel = 0;                 // of the oldest batch: the one on the GPU, or the next
    bool on_gpu = false;                      // its kernel stands in the line or runs
    sim::Time ready = sim::Time::never();     // when the next kernel joins the line; never: not launched
    sim::Time gap_from = sim::Time::never();  // end of its last kernel; never: it has had none
    Kernel timed;                             // the kernel on the GPU, at the current rates
    double counted = 0;                       // fraction of it that is in `used`
    sim::Time counted_at;
    std::optional<sim::Time> began;  // the kernel's first block, for the observer
    ContextState state = ContextState::empty;
    std::uint64_t unseen = 0;
    sim::Duration ran;
    Usage used;
    sim::TrackId track = sim::TrackId::none;
  };
  // Contexts that share the GPU at one time.
  struct Group {
    space::Dispatcher dispatcher;
    std::vector<std::size_t> contexts;
    std::optional<std::uint32_t> id;
    std::optional<sim::Duration> slice;
    bool expired = false;  // its last turn ended by its slice: caches are refilled in the next
  };
  enum class Mode : std::uint8_t { running, holding, switching };

  [[nodiscard]] Context& get(ContextId id) { return contexts_[id.index]; }
  [[nodiscard]] const Context& get(ContextId id) const { return contexts_[id.index]; }
  [[nodiscard]] std::size_t group_of(const ContextSpec& spec);
  void push(Context& context, const Batch& batch);
  void note_launches(Context& context);
  void catch_up();
  void plan_next(Context& context);
  void due();
  void step();
  [[nodiscard]] Kernel timed_kernel(const Context& context) const;
  void start_ready(Group& group);
  void kernel_over(Context& context);
  void batch_over(Context& context);
  void count(Context& context);
  void note_busy(bool busy);
  // Turns.
  [[nodiscard]] bool has_work(const Context& context) const;
  [[nodiscard]] bool has_work(const Group& group) const;
  [[nodiscard]] std::optional<std::size_t> next_group() const;
  [[nodiscard]] sim::Duration cost_of_expiry() const;
  [[nodiscard]] sim::Duration refill_of(const Group& group) const;
  void take_turns();
  void leave(std::size_t next, sim::Duration cost);
  void arrive();
  void see_finished();
  void refresh_state(Context& context);
  void set_state(Context& context, ContextState state);
  void schedule_next();

  sim::Engine& engine_;
  Spec spec_;
  SpaceOf space_;
  sim::RandomStream random_;
  KernelObserver observer_;
  Rates rates_;
  std::vector<Context> contexts_;
  std::vector<Group> groups_;
  std::vector<int> done_;                               // of one step; kept for its storage
  std::deque<std::optional<std::uint32_t>> processes_;  // groups of contexts, as they were named
  std::size_t owner_ = 0;  // group that holds the GPU, or to which it is being switched
  Mode mode_ = Mode::running;
  sim::Time mode_ends_ = sim::Time::never();
  sim::Time turn_ends_ = sim::Time::never();  // never: nobody else has work
  sim::EventId event_;
  bool telling_ = false;  // in see_finished()
  sim::Time idle_since_;
  bool is_busy_ = false;
  sim::Time busy_since_;
  sim::Duration busy_, switching_;
  std::int64_t switches_ = 0;
};

}  // namespace jostle::gpu
