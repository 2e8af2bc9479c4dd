#include "models/process/thread_team.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/process/wait.hpp"

namespace jostle::process {

using sim::Duration;

ThreadTeam::ThreadTeam(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& main,
                       TimeAccount& account)
    : cpu_(board.cpu),
      traffic_(board.traffic),
      main_(main),
      spec_(spec),
      costs_(costs),
      account_(account),
      told_(spec.host.crowded && spec.sync == Sync::spin) {
  if (told_) account.follow(state_);
  if (traffic_) team_ = traffic_->add_team();
  const cpu::ThreadSpec like_main = thread_spec(spec, costs);
  for (int i = 1; i < spec.host.threads; ++i) {
    Worker& added = workers_.emplace_back();
    added.team = this;
    cpu::ThreadSpec worker = like_main;
    worker.name = fmt::format("{} thread {}", spec.name, i);
    worker.listener = {.changed =
                           [](void* self, cpu::State state, sim::Time, Duration, double) {
                             Worker& worker = *static_cast<Worker*>(self);
                             worker.team->thread_changed(worker, state);
                           },
                       .context = &added};
    added.thread = cpu_.create_thread(worker);
    board.engine.spawn(help(added), worker.name, sim::Role::daemon);
  }
  set_traffic(spec.host.traffic);
}

void ThreadTeam::set_traffic(const HostTraffic& traffic) {
  asked_ = traffic;
  set_demand(1);
}

// Sets the traffic of all threads to so many times that with all of the cluster's cache.
void ThreadTeam::set_demand(double more) {
  more_ = more;
  if (!traffic_) return;
  traffic_->set_bound(team_, std::min(asked_.bound * more, 1.0));
  main_.set_traffic(team_, asked_.bytes_per_s * more);
  for (Worker& worker : workers_) demand(worker);
}

void ThreadTeam::demand(Worker& worker) {
  const double bytes = worker.has_core ? asked_.bytes_per_s * more_ : 0;
  if (!traffic_ || bytes == worker.demanded) return;
  if (worker.demanded > 0) traffic_->core_demands(-worker.demanded, team_);
  if (bytes > 0) traffic_->core_demands(bytes, team_);
  worker.demanded = bytes;
}

// The time of the next layer relative to that with memory and caches to itself.
double ThreadTeam::slowdown() {
  const double lost = 1 - cpu_.cache_share(main_.thread());
  const double time = 1 + lost * (asked_.uncached_time - 1);
  const double more = (1 + lost * (asked_.uncached_bytes - 1)) / time;
  if (more != more_) set_demand(more);
  if (!traffic_ || asked_.bound <= 0) return time;
  return time * (1 + std::min(asked_.bound * more, 1.0) * (1 / traffic_->core_speed(team_) - 1));
}

sim::Task<> ThreadTeam::compute(std::span<const Duration> layers, bool more) {
  main_.set_phase(Phase::computing);
  const double factor = main_.variation();
  co_await main_.run(sim::work_in(costs_.runtime.per_batch, factor));
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    last_layer_ = !more && layer + 1 == layers.size();
    share_ = sim::work_in(layers[layer], factor * slowdown());
    co_await main_.run(sim::work_in(costs_.runtime.per_launch, factor));
    joined_.reset();
    computing_ = workers_.size();
    if (told_)
      for (Worker& worker : workers_) note(worker, worker.has_core, true, worker.waits);
    for (Worker& worker : workers_) worker.go.set(main_.thread());
    tell_account();
    co_await main_.run(share_);
    met_ = true;
    tell_account();
    if (computing_ > 0) co_await main_.wait_for(joined_);
    met_ = false;
    tell_account();
  }
}

sim::Process ThreadTeam::help(Worker& worker) {
  for (Sync how = Sync::blocking;; how = last_layer_ ? Sync::blocking : spec_.sync) {
    co_await wait_for(cpu_, worker.thread, worker.go, how, costs_.sync);
    worker.go.reset();
    co_await cpu_.run(worker.thread, share_);
    note(worker, worker.has_core, false, worker.waits);
    tell_account();
    if (--computing_ == 0) joined_.set(worker.thread);
  }
}

void ThreadTeam::thread_changed(Worker& worker, cpu::State state) {
  const bool has_core = state == cpu::State::on_core || state == cpu::State::refilling;
  const bool moves = has_core != worker.has_core;
  note(worker, has_core, worker.busy, !has_core && state != cpu::State::sleeping);
  if (!moves) return tell_account();
  demand(worker);
  const bool before = on_cores_ > 0;
  on_cores_ += has_core ? 1 : -1;
  if (before != (on_cores_ > 0)) account_.set_helped(on_cores_ > 0);
  tell_account();
}

// Sets what a worker does, and counts it if threads are told apart.
void ThreadTeam::note(Worker& worker, bool has_core, bool busy, bool waits) {
  const auto count = [this, &worker](int sign) {
    if (worker.has_core) (worker.busy ? computes_ : spins_) += sign;
    if (worker.busy && worker.waits) lacks_ += sign;
  };
  if (told_) count(-1);
  worker.has_core = has_core;
  worker.busy = busy;
  worker.waits = waits;
  if (told_) count(+1);
}

// Tells what the threads do.
void ThreadTeam::tell_account() {
  if (!told_) return;
  const TeamState now{.computes = computes_ > 0, .spins = spins_ > 0, .lacks = lacks_ > 0, .met = met_};
  if (now == state_) return;
  account_.team_changes(now.lacks || state_.lacks);
  state_ = now;
}

cpu::ThreadStatistics ThreadTeam::statistics() const {
  cpu::ThreadStatistics sum;
  for (const Worker& worker : workers_) {
    const cpu::ThreadStatistics one = cpu_.statistics(worker.thread);
    for (std::size_t i = 0; i < sum.time_in.size(); ++i) sum.time_in[i] += one.time_in[i];
    sum.work += one.work;
    sum.throttled = std::max(sum.throttled, one.throttled);
    sum.migrations += one.migrations;
    sum.cluster_migrations += one.cluster_migrations;
    sum.voluntary_switches += one.voluntary_switches;
    sum.involuntary_switches += one.involuntary_switches;
  }
  return sum;
}

}  // namespace jostle::process
