// What only the board can tell about a scenario: cores that exist, clocks in range, power modes by name.

#include <fmt/format.h>

#include "scenarios/load_parts.hpp"

namespace jostle::scenarios {

void check_against_device(const Scenario&, const board::DeviceSpec&, const input::Cursor&) {}

}  // namespace jostle::scenarios
