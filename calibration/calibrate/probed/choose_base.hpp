// The shipped profile that a probed machine is nearest to.
#pragma once

#include <string>

#include "calibration/probe/identity.hpp"

namespace jostle::calibration {

struct ChosenBase {
  std::string device;  // a shipped profile
  std::string reason;  // why this one, a sentence
  bool exact = false;  // it describes this very board or card; else its nearest relative
};

// A board by the name in its device tree, a card by its name. Else, with a GPU, the profile of the nearest
// compute capability, then of the nearest number of SMs, among boards or among cards; without one, that of
// the same cores. There always is one.
[[nodiscard]] ChosenBase choose_base(const calibration::probe::Identity& identity);

}  // namespace jostle::calibration
