// The reader of a study's `fleet`, for the table of sections.
#pragma once

#include "calibration/input/cursor.hpp"

namespace jostle::scenarios {

struct Study;

// Adds the kinds of board as values of `device`.
void read_fleet(const input::Cursor& at, Study& study);

}  // namespace jostle::scenarios
