// Members of Cpu for containers: the weights of their threads, and throttling by their quota.
#include "models/cpu/container.hpp"

#include <algorithm>
#include <utility>

#include "models/cpu/cpu.hpp"
#include "sim/contract.hpp"

namespace jostle::cpu {

using sim::Duration;
using sim::Time;

Container::Container(Cpu& owner, const ContainerSpec& given, const Machine& machine)
    : cpu(&owner), spec(given), cores(machine.cores.size()) {
  // A quota that all cores together cannot use up needs no accounting.
  if (!spec.cpus || *spec.cpus >= machine.online_count) return;
  quota = sim::work_in(quota_period, *spec.cpus);
  pool = *quota;
}

void Container::period_over() {
  cpu->quota_period_over(*this);
}
void Container::slack_due() {
  cpu->distribute(*this);
}

bool Container::assign(OnCore& core) {
  drawn = true;
  const Duration taken = std::min(pool, quota_slice - core.left);
  pool -= taken;
  sim::contract(taken >= Duration::zero() && pool >= Duration::zero(),
                "a core takes from the quota of a container, and no more than is left");
  core.left += taken;
  return core.left > Duration::zero();
}

Container* Cpu::container_of(const ContainerSpec& spec) {
  for (Container& container : machine_.containers)
    if (container.spec.name == spec.name) return &container;
  return &machine_.containers.emplace_back(*this, spec, machine_);
}

// Notes the thread's membership. Shares matter once some thread is outside the container, or in another one.
void Cpu::note_container(Thread& thread) {
  if (thread.container != nullptr) thread.container->threads.push_back(&thread);
  const bool compete = machine_.containers.size() > 1 ||
                       (machine_.containers.size() == 1 &&
                        machine_.containers.front().threads.size() < machine_.threads.size());
  if (!compete || std::exchange(containers_compete_, true)) return;
  for (Container& container : machine_.containers) reweigh(container);
}

// A thread of a container became runnable (+1) or fell asleep (-1): from now on the other threads of the
// container weigh less or more.
void Cpu::count_in_container(Thread& thread, int change) {
  if (thread.container == nullptr) return;
  thread.container->load += change * thread.own_weight;
  reweigh(*thread.container);
}

void Cpu::reweigh(Container& container) {
  if (!containers_compete_) return;
  for (Thread* const thread : container.threads) {
    const std::int64_t load = std::max(container.load, thread->own_weight);
    const std::int64_t weight = std::max(min_shares, container.spec.shares * thread->own_weight / load);
    if (weight == thread->weight) continue;
    Core& core = machine_.core(thread->core);
    const auto& members = core.queue.members();
    const bool queued = std::find(members.begin(), members.end(), thread) != members.end();
    if (queued) accrue(core);
    load_reweighs(core, *thread, weight, engine_.now());
    core.queue.reweigh(*thread, weight, queued);
    if (queued) arm(core);
  }
}

// True if `thread` may enter the run queue of `core`; else it is parked there.
bool Cpu::admit(Core& core, Thread& thread) {
  Container* const container = thread.container;
  if (container == nullptr) return true;
  Container::OnCore& on = container->on(core.index);
  if (container->quota && !on.throttled && on.left <= Duration::zero() && on.queued == 0) {
    start_period(*container);
    if (!container->assign(on)) set_throttled(*container, core.index);
  }
  if (on.throttled) {
    on.parked.push_back(&thread);
    thread.held_since = engine_.now();
    return false;
  }
  ++on.queued;
  return true;
}

void Cpu::set_throttled(Container& container, int core) {
  container.on(core).throttled = true;
  container.throttled.push_back(core);
}

// A thread leaves the run queue of `core`, or its parked threads. True: it was parked.
bool Cpu::depart(Core& core, Thread& thread) {
  Container* const container = thread.container;
  if (container == nullptr) return false;
  Container::OnCore& on = container->on(core.index);
  if (const auto at = std::find(on.parked.begin(), on.parked.end(), &thread); at != on.parked.end()) {
    on.parked.erase(at);
    release(thread);
    return true;
  }
  sim::contract(on.queued > 0, "a thread that leaves a run queue was in it");
  if (--on.queued > 0 || !container->quota || on.left <= kept_slice) return false;
  container->pool += on.left - kept_slice;
  on.left = kept_slice;
  if (container->pool > quota_slice && !container->throttled.empty() && !engine_.pending(container->slack))
    container->slack =
        engine_.schedule(engine_.now() + slack_delay, sim::action<&Container::slack_due>(*container));
  return false;
}

void Cpu::throttle(Core& core, Container& container) {
  Container::OnCore& on = container.on(core.index);
  set_throttled(container, core.index);
  for (Entity* const member : core.queue.members())
    if (auto* const thread = static_cast<Thread*>(member); thread->container == &container)
      on.parked.push_back(thread);
  on.queued = 0;
  load_changes(core, engine_.now());
  for (Thread* const thread : on.parked) {
    core.queue.dequeue_sleeping(*thread);
    thread->held_since = engine_.now();
    if (core.running != thread) continue;
    take_off(core);
    ++thread->statistics.involuntary_switches;
    notify(*thread, State::runnable, 0);
  }
  note_load(core);
  dispatch(core);
}

void Cpu::unthrottle(Core& core, Container& container) {
  Container::OnCore& on = container.on(core.index);
  on.throttled = false;
  accrue(core);
  load_changes(core, engine_.now());
  for (Thread* const thread : std::exchange(on.parked, {})) {
    release(*thread);
    ++on.queued;
    if (thread->placed) {
      core.queue.enqueue_woken(*thread);
    } else {
      core.queue.enqueue_new(*thread);
    }
    note_load(core);
    check_preemption(core, *thread);
  }
  plan_balances();
}

void Cpu::start_period(Container& container) {
  if (engine_.pending(container.period)) return;
  const Duration since = engine_.now() - Time::zero();
  const Time next = Time::zero() + (since / quota_period + 1) * quota_period;
  container.period = engine_.schedule(next, sim::action<&Container::period_over>(container));
  container.pool = *container.quota;
}

void Cpu::quota_period_over(Container& container) {
  if (!std::exchange(container.drawn, false) && container.throttled.empty()) return;  // the timer rests
  start_period(container);
  distribute(container);
}

// Pays the debts of throttled cores, in the order in which they were throttled.
void Cpu::distribute(Container& container) {
  for (const int index : std::exchange(container.throttled, {})) {
    Container::OnCore& on = container.on(index);
    const Duration paid = std::min(container.pool, Duration{1} - on.left);
    container.pool -= paid;
    sim::contract(container.pool >= Duration::zero(), "the quota of a container is never negative");
    on.left += paid;
    if (on.left > Duration::zero()) {
      unthrottle(machine_.core(index), container);
    } else {
      container.throttled.push_back(index);
    }
  }
}

}  // namespace jostle::cpu
