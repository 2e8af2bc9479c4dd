// The reader of a study's `offload`, for the table of sections.
#pragma once

#include "calibration/input/cursor.hpp"

namespace jostle::scenarios {

struct Study;

void read_offload(const input::Cursor& at, Study& study);

}  // namespace jostle::scenarios
