// Waiting of a host thread for a flag: spinning on its core, for some time or for ever, yielding its core
// while it polls, or asleep.
#pragma once

#include "models/cpu/cpu.hpp"
#include "models/process/spec.hpp"
#include "sim/process.hpp"

namespace jostle::process {

[[nodiscard]] inline sim::Task<> wait_for(cpu::Cpu& cpu, cpu::ThreadId thread, cpu::Flag& flag, Sync how,
                                          const SyncSpec& costs) {
  switch (how) {
    case Sync::spin:
      co_await cpu.spin(thread, flag, costs.poll, false, costs.most_spun);
      if (flag.is_set()) break;
      [[fallthrough]];
    case Sync::blocking:
      co_await cpu.run(thread, costs.before_sleep);
      co_await cpu.block(thread, flag, costs.wake_latency);
      break;
    case Sync::yield:
      co_await cpu.yield_spin(thread, flag, costs.poll);
      break;
  }
}

}  // namespace jostle::process
