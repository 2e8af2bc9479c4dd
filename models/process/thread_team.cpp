#include "models/process/thread_team.hpp"

#include <fmt/format.h>

#include "models/process/wait.hpp"

namespace jostle::process {

using sim::Duration;

ThreadTeam::ThreadTeam(sim::Engine& engine, cpu::Cpu& cpu, cpu::ThreadId main, const cpu::ThreadSpec& worker,
                       const HostWork& work, Duration per_layer, Sync sync, const SyncSpec& costs,
                       const TeamListener& listener)
    : cpu_(cpu),
      main_(main),
      work_(work),
      per_layer_(per_layer),
      sync_(sync),
      costs_(costs),
      listener_(listener) {
  for (int i = 1; i < work.threads; ++i) {
    Worker& added = workers_.emplace_back();
    added.team = this;
    cpu::ThreadSpec spec = worker;
    spec.name = fmt::format("{} thread {}", worker.name, i);
    spec.listener = {.changed =
                         [](void* self, cpu::State state, sim::Time, Duration, double) {
                           Worker& told = *static_cast<Worker*>(self);
                           told.team->thread_changed(told, state);
                         },
                     .context = &added};
    added.thread = cpu_.create_thread(spec);
    engine.spawn(help(added), spec.name, sim::Role::daemon);
  }
}

sim::Task<> ThreadTeam::run(double factor) {
  for (std::size_t layer = 0; layer < work_.layers.size(); ++layer) {
    last_layer_ = layer + 1 == work_.layers.size();
    share_ = sim::work_in(work_.layers[layer], factor);
    co_await cpu_.run(main_, sim::work_in(per_layer_, factor));
    joined_.reset();
    computing_ = workers_.size();
    for (Worker& worker : workers_) worker.go.set();
    co_await cpu_.run(main_, share_);
    if (computing_ > 0) co_await wait_for(cpu_, main_, joined_, sync_, costs_);
  }
}

sim::Process ThreadTeam::help(Worker& worker) {
  for (Sync how = Sync::blocking;; how = last_layer_ ? Sync::blocking : sync_) {
    co_await wait_for(cpu_, worker.thread, worker.go, how, costs_);
    worker.go.reset();
    co_await cpu_.run(worker.thread, share_);
    if (--computing_ == 0) joined_.set();
  }
}

void ThreadTeam::thread_changed(Worker& worker, cpu::State state) {
  const bool has_core = state == cpu::State::on_core || state == cpu::State::refilling;
  if (has_core == worker.has_core) return;
  worker.has_core = has_core;
  const bool before = on_cores_ > 0;
  on_cores_ += has_core ? 1 : -1;
  if (before != (on_cores_ > 0)) listener_.helped(listener_.context, on_cores_ > 0);
}

cpu::ThreadStatistics ThreadTeam::statistics() const {
  cpu::ThreadStatistics sum;
  for (const Worker& worker : workers_) {
    const cpu::ThreadStatistics one = cpu_.statistics(worker.thread);
    for (std::size_t i = 0; i < sum.time_in.size(); ++i) sum.time_in[i] += one.time_in[i];
    sum.work += one.work;
    sum.migrations += one.migrations;
    sum.cluster_migrations += one.cluster_migrations;
    sum.voluntary_switches += one.voluntary_switches;
    sum.involuntary_switches += one.involuntary_switches;
  }
  return sum;
}

}  // namespace jostle::process
