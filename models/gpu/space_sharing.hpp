// The GPU shared in space: kernels of several streams run at once (the law: dispatcher.hpp).
//
// Streams of one process, and all processes under MPS, share the GPU so. Without MPS, processes take turns:
// the streams of one process run while it has the GPU, and stand still while another has it. Turns are those
// of TimeSharedGpu (TimeSlicing in spec.hpp): a process is out of work when none of its streams has a
// launched kernel, an expiry saves the state of all kernels that are resident, and processes with one stream
// each get what they get there (tests/models/gpu_agreement). Measured: calibration/evidence/h100-turns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/gpu/advance.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/runlist.hpp"
#include "models/gpu/spec.hpp"
#include "sim/contract.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

// The processes that share the GPU at one time.
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
  [[nodiscard]] sim::Duration process_running_time(ContextId context) override;
  [[nodiscard]] Usage used() override;
  [[nodiscard]] sim::Duration busy() override;
  [[nodiscard]] sim::Duration switching() override;
  [[nodiscard]] std::int64_t switches() const override { return switches_; }
  [[nodiscard]] std::uint64_t unseen(ContextId context) override { return get(context).unseen; }
  [[nodiscard]] std::uint64_t unfinished(ContextId context) override { return get(context).batches.size(); }

 private:
  // Time in which at least one of several is executing.
  struct Tally {
    int executing = 0;
    sim::Time since;
    sim::Duration total;

    void change(int by, sim::Time now) {
      if (executing > 0) total += now - since;
      since = now;
      executing += by;
      sim::contract(executing >= 0, "the number of running kernels is never negative");
    }
    [[nodiscard]] sim::Duration until(sim::Time now) const {
      return executing > 0 ? total + (now - since) : total;
    }
  };
  struct Process {
    std::optional<std::uint32_t> id;  // ContextSpec::group
    Tally tally;
  };
  struct Context {
    ContextId id;
    ContextSpec spec;
    int sms = 0;  // number of SMs on which its client may have blocks at one time
    std::size_t group = 0, process = 0;
    int stream = 0;              // number in the group's dispatcher
    std::vector<Batch> batches;  // unfinished batches, oldest first
    HostProgress host;           // progress in the newest batch, while its kernels are being launched
    std::uint32_t kernel = 0;    // place in the oldest batch: the one on the GPU, or the next
    bool on_gpu = false;         // its kernel stands in the line or runs
    sim::Time launched = sim::Time::never();    // when the next kernel has been launched; never: not known
    sim::Duration front_end;                    // time of the front end for the next kernel, still to pass
    sim::Time ready = sim::Time::never();       // when it joins the line; never: not in this turn
    sim::Time free_since = sim::Time::never();  // end of its last kernel; never: it has had none
    Kernel timed;                               // the kernel on the GPU, at the current rates
    double counted = 0;                         // fraction of it that is in `used`
    sim::Time counted_at;
    std::optional<sim::Time> began;  // the kernel's first block, for the observer
    bool executing = false;          // its kernel runs now, or refills caches
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
    sim::Duration refill;  // time to refill caches at the start of its next turn
  };
  // State of the owner.
  enum class Mode : std::uint8_t {
    idle,       // has nothing enqueued, and nobody else has work
    running,    // has its turn
    holding,    // is out of work, and holds the GPU for a while
    switching,  // is being switched in
    refilling,  // fills its caches after an expiry
  };

  [[nodiscard]] Context& get(ContextId id) { return contexts_[id.index]; }
  [[nodiscard]] const Context& get(ContextId id) const { return contexts_[id.index]; }
  [[nodiscard]] std::size_t group_of(const ContextSpec& spec);
  [[nodiscard]] std::size_t process_of(const ContextSpec& spec);
  void push(Context& context, const Batch& batch);
  void next_kernel(Context& context);
  void note_launches(Context& context);
  void catch_up();
  void plan_next(Context& context);
  void due();
  void step();
  void start_ready(Group& group);
  void kernel_over(Context& context);
  void count(Context& context);
  void set_executing(Context& context, bool executing);
  void see_finished();
  void refresh_state(Context& context);
  void set_state(Context& context, ContextState state);
  void schedule_next();
  // Turns.
  [[nodiscard]] bool owner_runs() const { return mode_ == Mode::running || mode_ == Mode::holding; }
  [[nodiscard]] bool has_work(const Context& context) const;
  [[nodiscard]] bool has_work(const Group& group) const;
  [[nodiscard]] bool has_batches(const Group& group) const;
  [[nodiscard]] bool contended() const;
  [[nodiscard]] std::size_t next_group();
  [[nodiscard]] sim::Duration cost_of_expiry() const;
  [[nodiscard]] sim::Duration refill_of(const Group& group) const;
  [[nodiscard]] space::Dispatcher::Places placing() const;
  [[nodiscard]] bool drained() const;
  void end_mode();
  void end_idleness();
  void end_turn();
  void leave(sim::Duration cost);
  void switch_to(std::size_t next, sim::Duration cost);
  void begin_turn(sim::Duration wake);
  void resume();

  sim::Engine& engine_;
  Spec spec_;
  SpaceOf space_;
  sim::RandomStream random_;
  KernelObserver observer_;
  Rates rates_;
  std::vector<Context> contexts_;
  std::vector<Group> groups_;
  std::vector<Process> processes_;
  std::vector<int> done_;  // streams that end in one step; kept for its storage
  Rotation rotation_;
  std::optional<std::size_t> owner_;  // group that holds the GPU, or to which it is being switched
  Mode mode_ = Mode::idle;
  sim::Time mode_ends_ = sim::Time::never();
  sim::Time starts_from_;  // kernels of this turn do not start before
  sim::Time turn_ends_ = sim::Time::never();
  bool draining_ = false;   // the slice has expired, and the blocks or kernels that run go on to their ends
  bool contended_ = false;  // others have work, as of the last step
  sim::EventId event_;
  bool telling_ = false;  // in see_finished()
  sim::Time idle_since_;
  Tally tally_;
  sim::Time switch_began_;
  sim::Duration switching_;
  std::int64_t switches_ = 0;
};

}  // namespace jostle::gpu
