#include "models/cpu/realtime.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

using sim::Duration;
using sim::Time;

// The importance of the core's next thread: its real-time priority, 0 for other threads, -1 if the core is
// idle.
int importance(const Core& core) {
  if (const Thread* const first = core.realtime.first()) return first->priority;
  return core.queue.size() > 0 ? 0 : -1;
}

}  // namespace

void RealTimeQueue::insert(Thread& thread) {
  const auto behind = std::find_if(members.begin(), members.end(),
                                   [&](const Thread* member) { return member->priority < thread.priority; });
  members.insert(behind, &thread);
}

void RealTimeQueue::remove(Thread& thread) {
  members.erase(std::find(members.begin(), members.end(), &thread));
}

bool RealTimeQueue::useful_waiter() const {
  return std::any_of(members.begin() + 1, members.end(), [&](const Thread* member) {
    return member->priority == members.front()->priority && !member->polite;
  });
}

int least_important_core(const Machine& machine, const Thread& thread) {
  const Core& own = machine.core(thread.core);
  const Core* best = nullptr;
  const auto order = [&](const Core& core) {
    return std::tuple(importance(core), &core != &own, core.cluster != own.cluster, core.index);
  };
  for (const Core& core : machine.cores) {
    if (!thread.allowed.contains(core.index) || core.realtime.held()) continue;
    if (best == nullptr || order(core) < order(*best)) best = &core;
  }
  return best != nullptr && importance(*best) < thread.priority ? best->index : -1;
}

int place_realtime(const Machine& machine, const Thread& thread) {
  const bool is_new = !thread.placed;
  if (is_new && thread.start_on >= 0) return thread.start_on;
  if (!is_new && importance(machine.core(thread.core)) < thread.priority) return thread.core;
  const int least = least_important_core(machine, thread);
  if (least >= 0) return least;
  if (thread.allowed.contains(thread.core)) return thread.core;
  for (const Core& core : machine.cores)
    if (thread.allowed.contains(core.index)) return core.index;
  return thread.core;
}

void RealTimeClass::enqueue(Core& core, Thread& thread) {
  core.realtime.insert(thread);
  if (core.realtime.held()) thread.held_since = engine_.now();
  if (machine_.spec.scheduler.limits_realtime() && !engine_.pending(period_)) start_period();
}

void RealTimeClass::push(Core& core) {
  if (core.realtime.held()) return;
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<Thread*>& members = core.realtime.members;
    for (std::size_t i = 1; i < members.size() && !moved; ++i) {
      const int target = least_important_core(machine_, *members[i]);
      if (target < 0 || target == core.index) continue;
      Core& to = machine_.core(target);
      cpu_.accrue(to);
      move(*members[i], to);
      cpu_.settle(to);
      moved = true;
    }
  }
}

void RealTimeClass::pull(Core& core) {
  if (core.realtime.held()) return;
  Thread* best = nullptr;
  for (Core& other : machine_.cores) {
    if (&other == &core || other.realtime.held()) continue;
    for (Thread* const thread : other.realtime.members) {
      if (thread == other.realtime.first() || !thread->allowed.contains(core.index)) continue;
      if (thread->priority > std::max(importance(core), best != nullptr ? best->priority : 0)) best = thread;
    }
  }
  if (best != nullptr) move(*best, core);
}

// Moves a thread that waits.
void RealTimeClass::move(Thread& thread, Core& to) {
  Core& from = machine_.core(thread.core);
  from.realtime.remove(thread);
  cpu_.note_load(from);
  charge_migration(machine_, thread, to, engine_.now());
  to.realtime.insert(thread);
  cpu_.note_load(to);
}

// The real-time threads of the core, one of which runs, lose it.
void RealTimeClass::hold_back(Core& core) {
  for (Thread* const thread : core.realtime.members) thread->held_since = engine_.now();
  cpu_.preempt(core);
  cpu_.dispatch(core);
}

void RealTimeClass::throttle(Core& core) {
  core.realtime.throttled = true;
  hold_back(core);
}

// One reason for holding back the real-time threads has ended.
void RealTimeClass::release(Core& core) {
  if (core.realtime.held()) return;
  for (Thread* const thread : core.realtime.members) thread->release(engine_.now());
}

// do_balance_runtime: takes from each other core an equal share of its unused runtime, until this core has
// the whole period. The isolated cores form one root domain, the others another.
void RealTimeClass::borrow_runtime(Core& core) {
  if (!machine_.kernel().lends_runtime) return;
  const auto in_domain = [&core](const Core& other) {
    return other.online && other.balanced == core.balanced;
  };
  const std::int64_t cores = std::ranges::count_if(machine_.cores, in_domain);
  Duration& runtime = core.realtime.runtime;
  for (Core& other : machine_.cores) {
    if (&other == &core || !in_domain(other)) continue;
    cpu_.accrue(other);
    const Duration spare = other.realtime.runtime - other.realtime.ran;
    if (spare <= Duration::zero()) continue;
    const Duration lent = std::min(spare / cores, realtime_period - runtime);
    other.realtime.runtime -= lent;
    runtime += lent;
  }
}

void RealTimeClass::start_period() {
  period_ =
      engine_.schedule(engine_.now() + realtime_period, sim::action<&RealTimeClass::period_over>(*this));
}

void RealTimeClass::period_over() {
  bool used = false;
  for (Core& core : machine_.cores) {
    RealTimeQueue& queue = core.realtime;
    cpu_.accrue(core);
    used = used || queue.ran > Duration::zero() || !queue.members.empty();
    if (queue.throttled) borrow_runtime(core);
    queue.ran -= std::min(queue.ran, queue.runtime);
    if (queue.throttled && queue.ran < queue.runtime) {
      queue.throttled = false;
      release(core);
      if (queue.first() != nullptr) cpu_.settle(core);
    } else if (core.running != nullptr && core.running->priority > 0) {
      cpu_.arm(core);
    }
  }
  if (used) start_period();
}

void RealTimeClass::note_fair_threads(Core& core) {
  const bool any = core.queue.size() > 0;
  if (std::exchange(core.realtime.fair.active, any) == any) return;
  if (any) {
    core.realtime.fair.start(engine_.now());
  } else if (std::exchange(core.realtime.outranked, false)) {
    release(core);
  }
}

// The server acts only while real-time threads have the core and others wait.
void RealTimeClass::plan_fair_server(Core& core) {
  FairServer& server = core.realtime.fair;
  const bool acts = server.active && core.realtime.first() != nullptr;
  const Time due = acts ? server.next_service(engine_.now()) : Time::never();
  if (due == server.event_at) return;
  server.event_at = due;
  engine_.set(server.event, due, sim::action<&Core::fair_server_due>(core));
}

void Core::fair_server_due() {
  cpu->realtime_.fair_server_due(*this);
}

void RealTimeClass::fair_server_due(Core& core) {
  core.realtime.fair.event_at = Time::never();
  cpu_.accrue(core);
  core.realtime.fair.serve();
  core.realtime.outranked = true;
  hold_back(core);
}

void RealTimeClass::end_service(Core& core) {
  core.realtime.outranked = false;
  release(core);
  cpu_.settle(core);
}

// dl_server_start. The rest of an earlier period's runtime is kept if it is at most the server's share of the
// rest of that period (dl_entity_overflow).
void FairServer::start(Time now) {
  const std::int64_t ratio = realtime_period / fair_runtime;
  if (now < deadline && left * ratio <= deadline - now) return;
  deadline = now + realtime_period;
  left = fair_runtime;
}

void FairServer::charge(Duration elapsed, Time now, bool serving) {
  left -= elapsed;
  if (serving || left > Duration::zero()) return;
  const Duration since = -left % fair_runtime;  // the time since the last period began
  deferred = true;
  deadline = now - since + realtime_period;
  left = fair_runtime - since;
}

Time FairServer::next_service(Time now) const {
  const bool used_up = left <= Duration::zero();
  return std::max(now, used_up ? deadline : deferred ? deadline - left : now);
}

void FairServer::serve() {
  if (left <= Duration::zero()) {
    left += fair_runtime;
    deadline += realtime_period;
  }
  deferred = false;
}

}  // namespace jostle::cpu
