// The thread by which a tracer takes what a process has recorded: it wakes at a fixed interval, works a
// little on the cores of that process, and sleeps again. So it keeps hardly a core busy; but where threads
// share a core, the scheduler chooses anew each time it goes back to sleep.
#pragma once

#include "models/cpu/cpu.hpp"
#include "models/process/identity.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"

namespace jostle::process {

// Starts one beside the process `identity`, from which its phase is drawn; engine and CPU must outlive the
// run. Nothing where the observer has no interval.
void spawn_collector(sim::Engine& engine, cpu::Cpu& cpu, const ObserverSpec& observer, const Spec& spec,
                     const Identity& identity);

}  // namespace jostle::process
