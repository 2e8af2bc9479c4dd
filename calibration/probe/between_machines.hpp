// How far two machines of one kind differ in what the probe measures: repeats on one machine do not show it.
#pragma once

#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {

// Adds, to the error of each parameter of a profile, that by which machines of one kind differ.
void widen_by_machine(Outcome& outcome);

}  // namespace jostle::calibration::probe
