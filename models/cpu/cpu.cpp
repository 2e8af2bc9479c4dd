// Members of Cpu: construction, clocks, and queries.
#include "models/cpu/cpu.hpp"

#include <algorithm>
#include <stdexcept>

namespace jostle::cpu {
namespace {

void check(bool good, const char* what) {
  if (!good) throw std::invalid_argument(std::string("cpu: ") + what);
}

void check_spec(const Spec& spec) {
  int cores = 0;
  for (const ClusterSpec& cluster : spec.clusters) {
    check(cluster.cores > 0, "a cluster without cores");
    check(cluster.capacity > 0 && cluster.capacity <= 1024, "a capacity outside 1 ... 1024");
    check(cluster.max_clock_hz > 0, "a cluster without a clock");
    cores += cluster.cores;
  }
  check(cores > 0 && cores <= max_cores, "the number of cores must be 1 ... 256");
  check(spec.scheduler.tick > sim::Duration::zero(), "the tick must be positive");
  check(spec.costs.speed_while_refilling > 0 && spec.costs.speed_while_refilling < 1,
        "speed_while_refilling must be between 0 and 1");
}

CpuSet to_set(const std::vector<int>& cores, const CpuSet& within) {
  CpuSet set;
  for (const int core : cores) {
    check(core >= 0 && core < max_cores && within.contains(core), "no such core, or it is offline");
    set.add(core);
  }
  return set;
}

// On cores that are not isolated a thread may use every core that its mask allows. Isolated cores have no
// scheduling domain: a thread that is allowed only isolated cores stays on its first one.
CpuSet usable(const Machine& machine, const CpuSet& allowed, std::optional<int> start_on) {
  const bool isolated = start_on && !machine.balanced.contains(*start_on);
  const CpuSet shared = allowed & machine.balanced;
  if (!isolated && !shared.empty()) return shared;
  int first = isolated ? *start_on : 0;
  while (!allowed.contains(first)) ++first;
  CpuSet one;
  one.add(first);
  return one;
}

}  // namespace

const char* to_string(State state) {
  constexpr std::array<const char*, state_count> names{"on core", "refilling", "switching", "runnable",
                                                       "sleeping"};
  return names[static_cast<std::size_t>(state)];
}

Cpu::Cpu(sim::Engine& engine, const Spec& spec, const Confinement& confinement, sim::RandomStream random)
    : engine_(engine) {
  check_spec(spec);
  machine_.spec = spec;
  machine_.ticks.period = spec.scheduler.tick;
  machine_.ticks.first = sim::Time::zero() + sim::work_in(spec.scheduler.tick, random.uniform());
  const bool known = spec.scheduler.knows_capacities;

  int total = 0;
  for (const ClusterSpec& cluster : spec.clusters) {
    Cluster& added = machine_.clusters.emplace_back();
    added.first_core = total;
    added.cores = cluster.cores;
    added.clock_hz = cluster.max_clock_hz;
    total += cluster.cores;
  }
  machine_.cores.reserve(static_cast<std::size_t>(total));
  machine_.online =
      confinement.online.empty() ? CpuSet::first(total) : to_set(confinement.online, CpuSet::first(total));
  machine_.online_count = machine_.online.count();

  const auto fastest = std::max_element(spec.clusters.begin(), spec.clusters.end(),
                                        [](const auto& a, const auto& b) { return a.capacity < b.capacity; });
  machine_.fastest_clock_hz = fastest->max_clock_hz;

  const SchedulerSpec scheduler = spec.scheduler.scaled(machine_.online_count);
  int least_capacity = 1024;
  int max_capacity = 0;
  for (std::size_t c = 0; c < spec.clusters.size(); ++c) {
    for (int i = 0; i < spec.clusters[c].cores; ++i) {
      Core& core = machine_.cores.emplace_back(*this, spec.costs, scheduler);
      core.index = static_cast<int>(machine_.cores.size()) - 1;
      core.cluster = static_cast<int>(c);
      core.online = machine_.online.contains(core.index);
      core.balanced = core.online && !spec.clusters[c].isolated &&
                      std::ranges::find(spec.isolated, core.index) == spec.isolated.end();
      core.capacity = known ? spec.clusters[c].capacity : 1024;
      core.average_idle = 2 * spec.scheduler.cache_hot_for;  // the kernel's start value
      machine_.update_rate(core);
      if (!core.online) continue;
      if (core.balanced) {
        machine_.balanced.add(core.index);
        ++machine_.clusters[c].balanced;
        least_capacity = std::min(least_capacity, static_cast<int>(core.capacity));
        max_capacity = std::max(max_capacity, static_cast<int>(core.capacity));
      }
      if (engine_.trace() != nullptr)
        core.track = engine_.trace()->track("core " + std::to_string(core.index));
    }
  }
  machine_.asymmetric = machine_.tracks_utilisation = max_capacity > least_capacity;
  balance_.start(random);
  const CpuSet& free = machine_.balanced.empty() ? machine_.online : machine_.balanced;
  allowed_ = confinement.allowed.empty() ? free : to_set(confinement.allowed, machine_.online);
  if (sim::TraceSink* trace = engine_.trace())  // counts like nr_running, summed over the kernel's run queues
    run_queue_counter_ = trace->counter("CPU: run queue", "threads");
}

ThreadId Cpu::create_thread(const ThreadSpec& spec) {
  const CpuSet allowed = spec.cpus.empty() ? allowed_ : to_set(spec.cpus, machine_.online);
  check(!spec.start_on ||
            (*spec.start_on >= 0 && *spec.start_on < max_cores && allowed.contains(*spec.start_on)),
        "a thread cannot start on a core that it is not allowed on");
  Thread& thread = machine_.threads.emplace_back(*this, spec);
  thread.index = static_cast<std::uint32_t>(machine_.threads.size()) - 1;
  thread.allowed = usable(machine_, allowed, spec.start_on);
  thread.start_on = spec.start_on.value_or(-1);
  thread.weight = thread.own_weight = weight_of_nice(spec.nice);
  check(spec.fifo >= 0 && spec.fifo <= 99, "a real-time priority outside 1 ... 99");
  check(spec.fifo == 0 || !spec.container, "a real-time thread is under no quota and has no shares");
  thread.priority = spec.fifo;
  machine_.has_realtime = machine_.has_realtime || spec.fifo > 0;
  machine_.has_fair_server = machine_.has_realtime && machine_.kernel().fair_server;
  join_container(*this, machine_, thread, spec.container);
  thread.working_set_bytes = spec.working_set_bytes;
  if (spec.return_loss) {
    const ReturnLoss& loss = *spec.return_loss;
    thread.own_loss.emplace(loss.whole, machine_.spec.costs.preempted_least, loss.time_constant);
  }
  thread.streams = spec.streams;
  thread.cached_bytes = spec.cached_bytes;
  thread.state_since = engine_.now();
  machine_.ever_allowed |= thread.allowed;
  return {thread.index};
}

void Machine::update_rate(Core& core) const {
  const ClusterSpec& cluster = spec_of(core);
  const double clock = cluster_of(core).clock_hz / cluster.max_clock_hz;
  const double reference = spec.reference_clock_hz > 0 ? spec.reference_clock_hz : fastest_clock_hz;
  core.rate = core.pace * cluster.capacity * clock / 1024 * (fastest_clock_hz / reference) * spec.what_if;
  core.speed = core.capacity * clock;
}

void Core::speed_due() {
  cpu->take_speed(*this, !slow);
}

void Cpu::take_speed(Core& core, bool slow) {
  const TwoSpeeds& speeds = *machine_.spec.two_speeds;
  accrue(core);
  core.slow = slow;
  core.pace = speeds.pace(slow);
  machine_.update_rate(core);
  arm(core);
  const sim::Duration time = sim::seconds(speeds_->exponential(sim::to_seconds(speeds.mean_time(slow))));
  engine_.schedule(engine_.now() + time, sim::action<&Core::speed_due>(core));
}

void Cpu::vary_speeds(const sim::RandomStream& random) {
  if (!machine_.spec.two_speeds) return;
  speeds_ = random;
  for (Core& core : machine_.cores)
    if (core.online) take_speed(core, speeds_->uniform() < machine_.spec.two_speeds->weight);
}

void Cpu::set_interrupts(int index, double load, double rate) {
  check(load >= 0 && load <= 0.95 && rate > 0, "a load of interrupts outside 0 ... 0.95");
  Core& core = machine_.cores.at(static_cast<std::size_t>(index));
  machine_.spec.scheduler.interrupt_core = index;
  accrue(core);
  const sim::Duration interval = sim::seconds(1 / rate);
  core.interrupts = {.interval = interval, .length = sim::work_in(interval, load), .phase = interval / 2};
  arm(core);
}

double Cpu::take_estimate(int index) {
  Core& core = machine_.core(index);
  return std::exchange(core.most_estimate, core.estimate) / core.capacity;
}

void Cpu::set_cluster_clock(int cluster, double hz) {
  check(hz > 0, "a clock must be positive");
  Cluster& changed = machine_.clusters.at(static_cast<std::size_t>(cluster));
  for (int i = changed.first_core; i < changed.first_core + changed.cores; ++i) accrue(machine_.core(i));
  changed.clock_hz = hz;
  for (int i = changed.first_core; i < changed.first_core + changed.cores; ++i) {
    machine_.update_rate(machine_.core(i));
    arm(machine_.core(i));
  }
}

double Cpu::cache_share(ThreadId thread) const {
  const Core& core = machine_.core(machine_.thread(thread).core);
  const double cache = machine_.spec_of(core).shared_cache_bytes;
  const double wanted = machine_.cluster_of(core).cached_bytes;
  return wanted > cache ? cache / wanted : 1;
}

Progress Cpu::progress(ThreadId id) const {
  const Thread& thread = machine_.thread(id);
  const Core& core = machine_.core(thread.core);
  const bool on_core = core.running == &thread;
  return {on_core ? core.accrued : engine_.now(), thread.done, thread.rate, on_core};
}

std::string Cpu::describe(ThreadId id) const {
  const Thread& thread = machine_.thread(id);
  std::string text = thread.title + ": " + to_string(thread.state);
  const Core& core = machine_.core(thread.core);
  if (thread.state == State::sleeping) {
    text += thread.flag != nullptr ? ", until its flag is set" : ", until woken";
  } else if (thread.state == State::runnable) {
    text.append(", waits for core ").append(std::to_string(thread.core));
    if (thread.held_since != sim::Time::never())
      text +=
          thread.container != nullptr ? ", throttled by its container" : ", throttled as a real-time thread";
    if (core.running != nullptr) text.append(", held by ").append(core.running->title);
  } else {
    text.append(" ").append(std::to_string(thread.core));
    if (thread.request == Request::poll) text += ", polls a flag";
    if (thread.request == Request::work) {
      text.append(", ").append(std::to_string(thread.remaining.ps() / 1000)).append(" ns to do");
    }
  }
  return text;
}

void Thread::release(sim::Time now) {
  if (held_since == sim::Time::never()) return;
  statistics.throttled += now - std::exchange(held_since, sim::Time::never());
}

std::string Thread::held_by() const {
  return cpu->describe({index});
}

ThreadStatistics Cpu::statistics(ThreadId id) const {
  const Thread& thread = machine_.thread(id);
  ThreadStatistics statistics = thread.statistics;
  statistics.time_in[static_cast<std::size_t>(thread.state)] += engine_.now() - thread.state_since;
  if (thread.held_since != sim::Time::never()) statistics.throttled += engine_.now() - thread.held_since;
  return statistics;
}

CoreStatistics Cpu::core_statistics(int index) const {
  const Core& core = machine_.core(index);
  CoreStatistics statistics = core.statistics;
  if (core.running != nullptr) {
    statistics.busy += engine_.now() - core.accrued;
  } else {
    statistics.busy += core.interrupts.total(engine_.now()) - core.interrupts.total(core.accrued);
  }
  return statistics;
}

sim::Duration Cpu::lag(ThreadId id) const {
  const Thread& thread = machine_.thread(id);
  return sim::Duration{machine_.core(thread.core).queue.lag(thread)};
}

}  // namespace jostle::cpu
