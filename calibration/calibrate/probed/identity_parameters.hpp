// The parameters that a profile takes from a machine's identity: its cores, scheduler, GPU and memory, where
// the base is not of this very machine.
#pragma once

#include <vector>

#include "calibration/calibrate/probed/choose_base.hpp"
#include "calibration/calibrate/probed/profile_leaves.hpp"
#include "calibration/probe/folder.hpp"
#include "models/board/spec.hpp"

namespace jostle::calibration {

// The host of a card is no part of its profile, so its cores and scheduler are taken in any case; those of a
// board only if the base is another one, since a power mode may have switched cores off. Clocks and speeds
// that the system does not tell are those that the probe measured.
[[nodiscard]] std::vector<ProfileLeaf> identity_parameters(const calibration::probe::ProbeFolder& folder,
                                                           const ChosenBase& base,
                                                           const board::DeviceSpec& spec);

}  // namespace jostle::calibration
