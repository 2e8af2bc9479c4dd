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

bool Container::assign(OnCore& core) {
  drawn = true;
  const Duration taken = std::min(pool, quota_slice - core.left);
  pool -= taken;
  sim::contract(taken >= Duration::zero() && pool >= Duration::zero(),
                "a core takes from the quota of a container, and no more than is left");
  core.left += taken;
  return core.left > Duration::zero();
}

void join_container(Cpu& cpu, Machine& machine, Thread& thread, const std::optional<ContainerSpec>& spec) {
  if (spec) {
    for (Container& container : machine.containers)
      if (container.spec.name == spec->name) thread.container = &container;
    if (thread.container == nullptr) thread.container = &machine.containers.emplace_back(cpu, *spec, machine);
    thread.container->threads.push_back(&thread);
  }
  const bool compete =
      machine.containers.size() > 1 ||
      (machine.containers.size() == 1 && machine.containers.front().threads.size() < machine.threads.size());
  if (!compete || std::exchange(machine.containers_compete, true)) return;
  for (Container& container : machine.containers) container.reweigh();
}

void Container::count(const Thread& thread, int change) {
  load += change * thread.own_weight;
  reweigh();
}

void Container::reweigh() {
  if (!cpu->machine_.containers_compete) return;
  for (Thread* const thread : threads) {
    const std::int64_t total = std::max(load, thread->own_weight);
    const std::int64_t weight = std::max(min_shares, spec.shares * thread->own_weight / total);
    if (weight == thread->weight) continue;
    Core& core = cpu->machine_.core(thread->core);
    const auto& members = core.queue.members();
    const bool queued = std::find(members.begin(), members.end(), thread) != members.end();
    if (queued) cpu->accrue(core);
    load_reweighs(core, *thread, weight, cpu->engine_.now());
    core.queue.reweigh(*thread, weight, queued);
    if (queued) cpu->arm(core);
  }
}

bool Container::admit(Core& core, Thread& thread) {
  OnCore& here = on(core.index);
  if (quota && !here.throttled && here.left <= Duration::zero() && here.queued == 0) {
    start_period();
    if (!assign(here)) set_throttled(core.index);
  }
  if (here.throttled) {
    here.parked.push_back(&thread);
    thread.held_since = cpu->engine_.now();
    return false;
  }
  ++here.queued;
  return true;
}

void Container::set_throttled(int core) {
  on(core).throttled = true;
  throttled.push_back(core);
}

bool Container::depart(Core& core, Thread& thread) {
  sim::Engine& engine = cpu->engine_;
  OnCore& here = on(core.index);
  if (const auto at = std::find(here.parked.begin(), here.parked.end(), &thread); at != here.parked.end()) {
    here.parked.erase(at);
    thread.release(engine.now());
    return true;
  }
  sim::contract(here.queued > 0, "a thread that leaves a run queue was in it");
  if (--here.queued > 0 || !quota || here.left <= kept_slice) return false;
  pool += here.left - kept_slice;
  here.left = kept_slice;
  if (pool > quota_slice && !throttled.empty() && !engine.pending(slack))
    slack = engine.schedule(engine.now() + slack_delay, sim::action<&Container::distribute>(*this));
  return false;
}

void Container::charge(int core, Duration elapsed) {
  if (!quota) return;
  OnCore& here = on(core);
  here.left -= elapsed;
  if (here.left > Duration::zero()) return;
  start_period();
  assign(here);
}

void Container::throttle(Core& core) {
  OnCore& here = on(core.index);
  set_throttled(core.index);
  for (Entity* const member : core.queue.members())
    if (auto* const thread = static_cast<Thread*>(member); thread->container == this)
      here.parked.push_back(thread);
  here.queued = 0;
  load_changes(core, cpu->engine_.now());
  for (Thread* const thread : here.parked) {
    core.queue.dequeue_sleeping(*thread);
    thread->held_since = cpu->engine_.now();
    if (core.running == thread) cpu->preempt(core);
  }
  cpu->note_load(core);
  cpu->dispatch(core);
}

void Container::unthrottle(Core& core) {
  OnCore& here = on(core.index);
  here.throttled = false;
  cpu->accrue(core);
  load_changes(core, cpu->engine_.now());
  for (Thread* const thread : std::exchange(here.parked, {})) {
    thread->release(cpu->engine_.now());
    ++here.queued;
    thread->placed ? core.queue.enqueue_woken(*thread) : core.queue.enqueue_new(*thread);
    cpu->note_load(core);
    cpu->check_preemption(core, *thread);
  }
  cpu->balance_.plan_all();
}

void Container::start_period() {
  sim::Engine& engine = cpu->engine_;
  if (engine.pending(period)) return;
  const Duration since = engine.now() - Time::zero();
  const Time next = Time::zero() + (since / quota_period + 1) * quota_period;
  period = engine.schedule(next, sim::action<&Container::period_over>(*this));
  pool = *quota;
}

void Container::period_over() {
  if (!std::exchange(drawn, false) && throttled.empty()) return;  // the timer rests
  start_period();
  distribute();
}

void Container::distribute() {
  for (const int index : std::exchange(throttled, {})) {
    OnCore& there = on(index);
    const Duration paid = std::min(pool, Duration{1} - there.left);
    pool -= paid;
    sim::contract(pool >= Duration::zero(), "the quota of a container is never negative");
    there.left += paid;
    if (there.left > Duration::zero()) {
      unthrottle(cpu->machine_.core(index));
    } else {
      throttled.push_back(index);
    }
  }
}

}  // namespace jostle::cpu
