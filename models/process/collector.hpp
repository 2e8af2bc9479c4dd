// The thread by which a tracer collects the records of a process: it wakes at a fixed interval, works a
// little on the cores of that process, and sleeps again. It hardly keeps a core busy. But where threads share
// a core, the scheduler chooses anew each time it goes back to sleep.
#pragma once

#include "models/cpu/cpu.hpp"
#include "models/process/identity.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"

namespace jostle::process {

// Starts a collector beside the process `identity`, from which its phase is drawn. Does nothing if the
// observer has no interval. Engine and CPU must outlive the run.
void spawn_collector(sim::Engine& engine, cpu::Cpu& cpu, const ObserverSpec& observer, const Spec& spec,
                     const Identity& identity);

}  // namespace jostle::process
