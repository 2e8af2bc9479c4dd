// The GPU shared in space: kernels of several streams run at once (the law: dispatcher.hpp).
//
// Streams of one process, and all processes under MPS, share the GPU so. Without MPS, processes take turns:
// the streams of one process run while it has the GPU, and stand still while another has it. Turns are those
// of TimeSharedGpu (TimeSlicing in spec.hpp): a process is out of work when none of its streams has a
// launched kernel, an expiry saves the state of all kernels that are resident, and processes with one stream
// each get what they get there (tests/models/gpu_agreement). Measured: calibration/evidence/h100-turns.
//
// While one context has batches, and no other, its kernels are not simulated one by one either: the next
// event is the end of its batch. What happens before finds the kernel that runs by then
// (space_sharing_alone.cpp).
//
// If every context is a closed loop of batches and all loops are steady (steady_loops.hpp), batches are
// repeated: each takes the time of an earlier one, and kernels are no longer simulated
// (space_sharing_repeats.cpp). Where processes take turns, that is the time in which the process runs:
// a batch stands still between its process's turns. As soon as something happens that was not recorded,
// kernels are simulated again, from where the batches are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/gpu/activity.hpp"
#include "models/gpu/advance.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/runlist.hpp"
#include "models/gpu/spec.hpp"
#include "models/gpu/steady_loops.hpp"
#include "models/gpu/timed_kernels.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/trace.hpp"

namespace jostle::gpu {

// The processes that share the GPU at one time.
enum class SpaceOf : std::uint8_t { each_process, all_processes };

class SpaceSharedGpu final : public Gpu {
 public:
  // The engine must outlive the GPU and must not run after the GPU is destroyed. `seed` is for the jitter of
  // slices; `loops`: the precision with which loops are steady; none: kernels of all batches are simulated
  // one by one.
  SpaceSharedGpu(sim::Engine& engine, const Spec& spec, SpaceOf space, std::uint64_t seed = 1,
                 std::optional<LoopPrecision> loops = {});

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
  [[nodiscard]] sim::Duration repeating() override {
    return repeated_ + (repeating_ ? engine_.now() - repeats_since_ : sim::Duration::zero());
  }
  [[nodiscard]] std::uint64_t unseen(ContextId context) override { return get(context).unseen; }
  [[nodiscard]] std::uint64_t unfinished(ContextId context) override { return get(context).batches.size(); }

 private:
  struct Process {
    std::optional<std::uint32_t> id;  // ContextSpec::group
    double contexts = 0;              // number
    Activity activity;
  };
  struct Client {
    std::size_t process = 0;
    std::optional<std::uint32_t> partition;  // SmPartition::id
    bool operator==(const Client&) const = default;
  };
  // The oldest batch of a context while batches are repeated.
  struct Repeat {
    bool on = false;
    sim::Time from, to = sim::Time::never();  // never: its process does not run
    double done_before = 0;                   // fraction of the batch that was done at `from`
    double counted = 0;                       // fraction of from .. to that is booked
    BatchRecord record;                       // all of it
  };
  struct Context {
    ContextId id;
    ContextSpec spec;
    int sms = 0;  // number of SMs on which its client may have blocks at one time
    std::size_t group = 0, process = 0;
    int stream = 0;  // number in the group's dispatcher
    space::StreamSpec stream_spec;
    std::vector<Batch> batches;  // unfinished batches, oldest first
    HostProgress host;           // progress in the newest batch, while its kernels are being launched
    std::uint32_t kernel = 0;    // place in the oldest batch: the one on the GPU, or the next
    bool on_gpu = false;         // its kernel stands in the line or runs
    sim::Time launched = sim::Time::never();    // when the next kernel has been launched; never: not known
    sim::Duration front_end;                    // time of the front end for the next kernel, still to pass
    sim::Time ready = sim::Time::never();       // when it joins the line; never: not in this turn
    sim::Time free_since = sim::Time::never();  // end of its last kernel; never: it has had none
    std::shared_ptr<TimedKernels> kernels;      // of its oldest batch
    const TimedKernel* timed = nullptr;         // the kernel on the GPU
    double counted = 0;                         // fraction of it that is booked
    sim::Time counted_at;                       // `ran` and `used` are booked up to here
    Resident resident;                          // of its kernel, while it executes
    std::optional<sim::Time> began;             // the kernel's first block, for the observer
    bool executing = false;                     // its kernel runs now, or refills caches
    ContextState state = ContextState::empty;
    std::uint64_t unseen = 0;
    sim::Duration ran;
    Usage used;
    // The oldest batch could start; never: there is none, or not all of it is to be recorded.
    // On the group's axis, as the end of the last batch.
    sim::Time batch_since = sim::Time::never();
    sim::Duration paused;      // time without a batch before it
    sim::Duration ran_before;  // `ran` at `batch_since`
    Usage used_before;         // the same
    sim::Time last_batch;      // end of the last batch
    bool ended_batch = false;  // since recording began
    bool in_batch = false;     // its oldest batch could start
    bool present = false;      // the same, and its process runs
    Repeat repeat;
    sim::TrackId track = sim::TrackId::none;
  };
  // The kernel that a context runs, or runs next, in its oldest batch.
  [[nodiscard]] static const Kernel& kernel_of(const Context& context) {
    return context.on_gpu ? context.timed->kernel : context.batches.front().given->kernels[context.kernel];
  }
  // Contexts that share the GPU at one time.
  struct Group {
    space::Longer longer;
    space::Dispatcher dispatcher;
    std::vector<std::size_t> contexts;
    std::optional<std::uint32_t> id;
    std::optional<sim::Duration> slice;
    sim::Duration refill;  // time to refill caches at the start of its next turn
    sim::Duration ran;     // time for which it has run, without refills, up to the end of its last turn
    sim::Time runs_since;
    // Since recording began: the costs of expiries, which are repeated one after another, and the number of
    // the last turn that ended for want of work.
    std::vector<sim::Duration> expiries;
    std::size_t next_expiry = 0;
    std::int64_t turns = 0, last_without_work = 0;
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
  [[nodiscard]] std::size_t client_of(std::size_t process, const std::optional<SmPartition>& partition);
  void push(Context& context, const Batch& batch);
  void next_kernel(Context& context);
  void note_launches(Context& context);
  void catch_up();
  // The one context that has batches, if its kernels run alone up to the end of its oldest one, unless
  // something happens before.
  [[nodiscard]] std::optional<std::size_t> alone() const;
  [[nodiscard]] sim::Time end_alone(const Context& context);
  void run_alone();
  void plan_next(Context& context);
  void due();
  void step();
  void start_ready(Group& group);
  void kernel_over(Context& context);
  // The usage of the context since it was booked, and the fraction that will be booked then. Readings book
  // nothing: the sums do not depend on them.
  struct Pending {
    Running running;
    double counted = 0;
  };
  [[nodiscard]] Pending pending(const Context& context) const;
  [[nodiscard]] Pending pending_repeat(const Repeat& repeat) const;
  [[nodiscard]] Running so_far(const Context& context) const;
  void count(Context& context);
  void set_kernel(Context& context, int more, const Resident& resident);
  void set_executing(Context& context, bool executing);
  void see_finished();
  void refresh_states();
  void refresh_state(Context& context);
  void set_state(Context& context, ContextState state);
  void schedule_next();
  // The activity of the context's process and, if others share the GPU with it, of all.
  template <typename Do>
  void activities_of(const Context& context, const Do& act) {
    act(processes_[context.process].activity);
    if (space_ == SpaceOf::all_processes) act(together_);
  }
  template <typename Do>
  void each_activity(const Do& act) {
    for (Process& process : processes_) act(process.activity);
    act(together_);
  }
  [[nodiscard]] ActiveTimes active() const;
  void begin_batch(Context& context);
  void end_batch(Context& context);
  // Repeated batches.
  [[nodiscard]] bool may_record() const;
  void record_batch(Context& context);
  [[nodiscard]] bool can_repeat() const;
  [[nodiscard]] bool others_ran() const;
  [[nodiscard]] bool enough_turns() const;
  void begin_repeating_if_steady();
  [[nodiscard]] bool in_turns() const { return groups_.size() > 1; }
  [[nodiscard]] sim::Time axis(const Context& context) const;
  void note_presence(Context& context);
  void run_repeat(Context& context);
  void halt_repeat(Context& context);
  [[nodiscard]] LoopKind kind_of(const Context& context) const;
  [[nodiscard]] bool is_in_loop(const Context& context) const;
  void begin_repeating();
  void repeat(Context& context, double done);
  void end_repeats();
  void stop_repeating();
  void leave_repeats(Context& context);
  void begin_recording();
  void note_recorded();
  // Turns.
  [[nodiscard]] bool owner_runs() const { return mode_ == Mode::running || mode_ == Mode::holding; }
  void change_mode(Mode mode);
  [[nodiscard]] bool owner_has_gpu() const { return owner_runs() || mode_ == Mode::refilling; }
  [[nodiscard]] bool has_work(const Context& context) const;
  [[nodiscard]] bool has_work(const Group& group) const;
  [[nodiscard]] bool has_batches(const Group& group) const;
  [[nodiscard]] bool never_without_work(const Group& group) const;
  [[nodiscard]] bool contended() const;
  [[nodiscard]] std::size_t next_group();
  [[nodiscard]] sim::Duration cost_of_expiry();
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
  std::size_t with_batches_ = 0;    // number of contexts
  std::vector<std::size_t> loose_;  // contexts of which no kernel runs, in their order
  std::uint64_t unseen_ = 0;        // sum over all contexts
  TimedSequences timed_;
  std::vector<Group> groups_;
  std::vector<Process> processes_;
  Activity together_;  // of all processes, if they share the GPU at one time
  std::vector<Client> clients_;
  std::vector<int> done_;  // streams that end in one step; kept for its storage
  Rotation rotation_;
  std::optional<std::size_t> owner_;  // group that holds the GPU, or to which it is being switched
  Mode mode_ = Mode::idle;
  sim::Time mode_ends_ = sim::Time::never();
  sim::Time starts_from_;  // kernels of this turn do not start before
  bool resumed_ = false;   // in this step
  sim::Time turn_ends_ = sim::Time::never();
  bool draining_ = false;   // the slice has expired, and the blocks or kernels that run go on to their ends
  bool contended_ = false;  // others have work, as of the last step
  sim::EventId event_;
  bool telling_ = false;  // in see_finished()
  // The states of contexts whose kernels run were refreshed for this owner, and for a switch to it.
  std::optional<std::size_t> refreshed_for_;
  bool refreshed_for_switch_ = false;
  sim::Time idle_since_;
  bool may_repeat_;
  SteadyLoops loops_;
  std::uint64_t recorded_ = 0;  // batches or, where processes take turns, turns
  bool repeating_ = false;
  sim::Duration repeated_;  // up to the last time that kernels were simulated again
  sim::Time repeats_since_;
  sim::Time switch_began_;
  sim::Duration switching_;
  std::int64_t switches_ = 0;
};

}  // namespace jostle::gpu
