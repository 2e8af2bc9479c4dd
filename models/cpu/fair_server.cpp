// Members of Cpu for the deadline server of threads that are not real-time: it keeps real-time threads from
// starving them.
#include <algorithm>
#include <utility>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {

using sim::Duration;
using sim::Time;

void Core::fair_server_due() {
  cpu->fair_server_due(*this);
}

// dl_server_start and dl_server_stop: the core got its first thread that the server works for, or lost its
// last.
void Cpu::note_fair_threads(Core& core) {
  FairServer& server = core.realtime.fair;
  const bool any = core.queue.size() > 0;
  if (std::exchange(server.active, any) == any) return;
  if (!any) {
    if (std::exchange(core.realtime.outranked, false)) release_realtime(core);
    return;
  }
  // The rest of an earlier period's runtime is kept if it is at most the server's share of the rest of that
  // period (dl_entity_overflow).
  const Time now = engine_.now();
  const std::int64_t ratio = realtime_period / fair_runtime;
  if (now < server.deadline && server.left * ratio <= server.deadline - now) return;
  server.deadline = now + realtime_period;
  server.left = fair_runtime;
}

// A thread that the server works for executed for `elapsed`, served or by itself.
void Cpu::charge_fair_server(Core& core, Duration elapsed) {
  FairServer& server = core.realtime.fair;
  server.left -= elapsed;
  if (core.realtime.outranked || server.left > Duration::zero()) return;
  const Duration since = -server.left % fair_runtime;  // the time since the last period began
  server.deferred = true;
  server.deadline = core.accrued - since + realtime_period;
  server.left = fair_runtime - since;
}

// The server acts only while real-time threads have the core and others wait.
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
