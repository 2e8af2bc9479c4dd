// The deadline server of threads that are not real-time ones: what keeps these from being starved.
#include <algorithm>
#include <utility>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {

using sim::Duration;
using sim::Time;

void Core::fair_server_due() {
  cpu->fair_server_due(*this);
}

// dl_server_start and dl_server_stop: the threads of the core that it is there for have come, or gone.
void Cpu::note_fair_threads(Core& core) {
  FairServer& server = core.realtime.fair;
  const bool any = core.queue.size() > 0;
  if (std::exchange(server.active, any) == any) return;
  if (!any) {
    if (std::exchange(core.realtime.outranked, false)) release_realtime(core);
    return;
  }
  // What is left of an earlier period is kept if that is no more than its share of what is left of the period
  // (dl_entity_overflow).
  const Time now = engine_.now();
  const std::int64_t ratio = realtime_period / fair_runtime;
  if (now < server.deadline && server.left * ratio <= server.deadline - now) return;
  server.deadline = now + realtime_period;
  server.left = fair_runtime;
}

// A thread that it is there for executed for `elapsed`, served or by itself.
void Cpu::charge_fair_server(Core& core, Duration elapsed) {
  FairServer& server = core.realtime.fair;
  server.left -= elapsed;
  if (core.realtime.outranked || server.left > Duration::zero()) return;
  const Duration since = -server.left % fair_runtime;  // the last period began, each with a whole runtime
  server.deferred = true;
  server.deadline = core.accrued - since + realtime_period;
  server.left = fair_runtime - since;
}

// Nothing is to be done unless real-time threads have the core and others wait.
void Cpu::plan_fair_server(Core& core) {
  FairServer& server = core.realtime.fair;
  Time due = Time::never();
  if (server.active && core.realtime.first() != nullptr) {
    const bool used_up = server.left <= Duration::zero();
    due = used_up ? server.deadline : server.deferred ? server.deadline - server.left : engine_.now();
    due = std::max(due, engine_.now());
  }
  if (due == server.event_at) return;
  server.event_at = due;
  engine_.set(server.event, due, sim::action<&Core::fair_server_due>(core));
}

void Cpu::fair_server_due(Core& core) {
  FairServer& server = core.realtime.fair;
  server.event_at = Time::never();
  accrue(core);
  if (server.left <= Duration::zero()) {
    server.left += fair_runtime;
    server.deadline += realtime_period;
  }
  server.deferred = false;
  core.realtime.outranked = true;
  hold_back_realtime(core);
}

}  // namespace jostle::cpu
