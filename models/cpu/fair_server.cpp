// The deadline server of threads that are not real-time: it keeps real-time threads from starving them.
#include <algorithm>

#include "models/cpu/realtime.hpp"

namespace jostle::cpu {

using sim::Duration;
using sim::Time;

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
