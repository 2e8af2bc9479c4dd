// The result of a fleet plan as one JSON object.
#pragma once

#include <string>

#include "analyses/fleet/fleet.hpp"

namespace jostle::analyses {

// {"schema":"jostle.fleet/1",...} without a newline; keys: docs/planning.md.
[[nodiscard]] std::string fleet_json(const Fleet& fleet);

}  // namespace jostle::analyses
