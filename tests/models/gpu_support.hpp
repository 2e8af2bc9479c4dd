// Boards, kernels and a GPU that writes down what happens on it, for the tests of models/gpu and
// models/process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/board/board.hpp"
#include "models/cpu/spec.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/space_sharing.hpp"
#include "models/gpu/time_sharing.hpp"
#include "sim/engine.hpp"
#include "tests/models/reference_gpu.hpp"

namespace jostle::gpu::test {

inline gpu::KernelSequence sequence(std::vector<gpu::Kernel> kernels) {
  gpu::KernelSequence made;
  made.kernels = std::move(kernels);
  made.rebuild_finish();
  return made;
}
inline gpu::KernelSequence equal_kernels(std::size_t count, sim::Duration each) {
  return sequence(std::vector<gpu::Kernel>(count, gpu::Kernel{.duration = each}));
}

// A host of `cores` and a GPU on which nothing costs anything but kernels; every runtime exists.
inline board::DeviceSpec free_device(int cores) {
  board::DeviceSpec device;
  device.name = "test";
  device.cpu->clusters.push_back({.name = "all", .cores = cores, .max_clock_hz = 1e9, .cache_bytes = 1e6});
  device.cpu->scheduler = {.policy = &cpu::eevdf,
                           .tick = sim::milliseconds(4),
                           .latency = sim::milliseconds(6),
                           .min_granularity = sim::milliseconds(0.75),
                           .wakeup_granularity = sim::milliseconds(1),
                           .base_slice = sim::milliseconds(0.75),
                           .cache_hot_for = sim::milliseconds(0.5)};
  device.cpu->costs.preempted_time_constant = sim::milliseconds(1);
  device.gpu.sm_count = 8;
  device.gpu.max_threads_per_sm = 1536;
  device.gpu.max_blocks_per_sm = 16;
  device.gpu.shared_bytes_per_sm = 1 << 17;
  device.gpu.time_slicing.slice = sim::milliseconds(2);
  device.runtimes[process::Runtime::cuda_graph] = device.runtimes[process::Runtime::eager] =
      device.runtimes[process::Runtime::tensorrt] = process::RuntimeSpec{};
  device.follow_up = {.graph_of_kernels_spinning = true, .paced_launches_spinning = true};
  return device;
}

inline process::Spec process_with(process::Runtime runtime, process::Sync sync, gpu::KernelSequence kernels) {
  process::Spec spec;
  spec.runtime = runtime;
  spec.sync = sync;
  spec.kernels = std::move(kernels);
  return spec;
}

struct Stamp {
  std::uint32_t context = 0;
  sim::Time start, end;
  bool operator==(const Stamp&) const = default;
};
struct Seen {
  std::uint32_t context = 0;
  sim::Time at;
  bool operator==(const Seen&) const = default;
};
struct Turn {
  std::uint32_t context = 0;
  sim::Time start, end;
  [[nodiscard]] sim::Duration length() const { return end - start; }
};

// Whose the GPU was, from its contexts' states.
struct Occupation {
  sim::Duration owned, switching, free;
};

// What was heard from a GPU.
struct Recording {
  std::vector<Stamp> kernels;
  std::vector<Seen> seen;
  std::vector<Turn> turns;              // complete ones, from being given the GPU to giving it up
  std::vector<std::uint64_t> enqueued;  // batches, by context

  // Up to `now`, from the start.
  [[nodiscard]] Occupation occupation(sim::Time now) const {
    Occupation sum = past_;
    add(sum, now - since_);
    return sum;
  }
  void occupied(ContextState before, ContextState after, sim::Time now) {
    add(past_, now - since_);
    since_ = now;
    owners_ += (after == ContextState::owner) - (before == ContextState::owner);
    incoming_ += (after == ContextState::switching_in) - (before == ContextState::switching_in);
  }

 private:
  void add(Occupation& sum, sim::Duration elapsed) const {
    (owners_ > 0 ? sum.owned : incoming_ > 0 ? sum.switching : sum.free) += elapsed;
  }
  Occupation past_;
  sim::Time since_;
  int owners_ = 0, incoming_ = 0;
};

// Hands everything on to a GPU, and writes down what it tells.
class RecordingGpu final : public Gpu {
 public:
  // `first_stamp`: see KernelObserver; none: kernels are not observed.
  RecordingGpu(sim::Engine& engine, std::unique_ptr<Gpu> inner, Recording& recording,
               std::optional<sim::Duration> first_stamp)
      : engine_(engine), inner_(std::move(inner)), recording_(recording) {
    if (!first_stamp) return;
    inner_->set_observer(
        {.finished =
             [](void* self, ContextId owner, sim::Time start, sim::Time end) {
               static_cast<RecordingGpu*>(self)->recording_.kernels.push_back({owner.index, start, end});
             },
         .context = this,
         .first_stamp = *first_stamp});
  }

  ContextId create_context(const ContextSpec& spec) override {
    Ear& ear = ears_.emplace_back();
    recording_.enqueued.push_back(0);
    ear = {this, static_cast<std::uint32_t>(ears_.size() - 1), spec.listener, ContextState::empty, {}};
    ContextSpec heard = spec;
    heard.listener = {
        .batch_seen = [](void* e) { batch_seen(*static_cast<Ear*>(e)); },
        .state_changing = [](void* e, ContextState next) { changing(*static_cast<Ear*>(e), next); },
        .context = &ear};
    return inner_->create_context(heard);
  }
  void set_observer(const KernelObserver&) override {}
  void set_rates(const Rates& rates) override { inner_->set_rates(rates); }
  void enqueue(ContextId id, const gpu::KernelSequence& kernels, bool gated) override {
    ++recording_.enqueued[id.index];
    inner_->enqueue(id, kernels, gated);
  }
  void begin_launches(ContextId id, const gpu::KernelSequence& kernels, const LaunchPlan& plan,
                      bool gated) override {
    ++recording_.enqueued[id.index];
    inner_->begin_launches(id, kernels, plan, gated);
  }
  void open(ContextId id) override { inner_->open(id); }
  void host_progress(ContextId id, const HostProgress& progress) override {
    inner_->host_progress(id, progress);
  }
  void finish_launches(ContextId id) override { inner_->finish_launches(id); }
  Running running(ContextId id) override { return inner_->running(id); }
  sim::Duration running_time(ContextId id) override { return inner_->running_time(id); }
  sim::Duration process_running_time(ContextId id) override { return inner_->process_running_time(id); }
  Usage used() override { return inner_->used(); }
  sim::Duration busy() override { return inner_->busy(); }
  sim::Duration switching() override { return inner_->switching(); }
  [[nodiscard]] std::int64_t switches() const override { return inner_->switches(); }
  [[nodiscard]] std::uint64_t unseen(ContextId id) override { return inner_->unseen(id); }
  [[nodiscard]] std::uint64_t unfinished(ContextId id) override { return inner_->unfinished(id); }

 private:
  struct Ear {
    RecordingGpu* gpu = nullptr;
    std::uint32_t index = 0;
    ContextListener listener;
    ContextState state = ContextState::empty;
    sim::Time since;
  };
  static void batch_seen(Ear& ear) {
    ear.gpu->recording_.seen.push_back({ear.index, ear.gpu->engine_.now()});
    if (ear.listener.batch_seen != nullptr) ear.listener.batch_seen(ear.listener.context);
  }
  static void changing(Ear& ear, ContextState next) {
    const sim::Time now = ear.gpu->engine_.now();
    if (ear.state == ContextState::owner) ear.gpu->recording_.turns.push_back({ear.index, ear.since, now});
    ear.gpu->recording_.occupied(ear.state, next, now);
    ear.state = next;
    ear.since = now;
    if (ear.listener.state_changing != nullptr) ear.listener.state_changing(ear.listener.context, next);
  }

  sim::Engine& engine_;
  std::unique_ptr<Gpu> inner_;
  Recording& recording_;
  std::deque<Ear> ears_;
};

// A change of rates that is to come.
struct RateChange {
  sim::Time at;
  Rates rates;
  Gpu* gpu = nullptr;

  void happen() { gpu->set_rates(rates); }
};
// Schedules them; they must stay where they are while the engine runs.
inline void schedule(sim::Engine& engine, Gpu& gpu, std::vector<RateChange>& changes) {
  for (RateChange& change : changes) {
    change.gpu = &gpu;
    engine.schedule(change.at, sim::action<&RateChange::happen>(change));
  }
}

// `in_space`: the GPU of processes with several streams, here with one each.
enum class Which { fast, reference, in_space };

inline std::unique_ptr<Gpu> make_gpu(Which which, sim::Engine& engine, const Spec& spec, std::uint64_t seed) {
  if (which == Which::reference) return std::make_unique<ReferenceGpu>(engine, spec, seed);
  if (which == Which::in_space)
    return std::make_unique<SpaceSharedGpu>(engine, spec, SpaceOf::each_process, seed);
  return std::make_unique<TimeSharedGpu>(engine, spec, seed);
}

// A board on a recording GPU, ready to run.
struct Bench {
  Bench(const board::DeviceSpec& device, const board::Setup& setup, Which which = Which::fast,
        std::optional<sim::Duration> first_stamp = sim::Duration::zero())
      : board(engine, device, setup,
              std::make_unique<RecordingGpu>(engine, make_gpu(which, engine, device.gpu, setup.seed),
                                             recording, first_stamp)) {}
  void run_for(sim::Duration duration) {
    engine.run(engine.now() + duration);
    board.settle();
  }
  // Of one process, the turns that lie within the run.
  [[nodiscard]] std::vector<sim::Duration> turns_of(std::uint32_t index) const {
    std::vector<sim::Duration> lengths;
    for (const Turn& turn : recording.turns)
      if (turn.context == index) lengths.push_back(turn.length());
    return lengths;
  }

  sim::Engine engine;
  Recording recording;
  board::Board board;
};

}  // namespace jostle::gpu::test
