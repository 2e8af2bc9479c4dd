// The discrete-event engine alone: clock, events, coroutine processes, resources, random streams, batch
// means, timelines. Link jostle::sim.
#pragma once

#include "sim/batch_means.hpp"
#include "sim/engine.hpp"
#include "sim/process.hpp"
#include "sim/random.hpp"
#include "sim/resource.hpp"
#include "sim/time.hpp"
#include "sim/trace.hpp"
