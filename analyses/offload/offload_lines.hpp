// The result of an offload study as lines of JSON and as CSV (docs/offload.md).
#pragma once

#include <string>

#include "analyses/offload/offload.hpp"

namespace jostle::analyses {

// A line of JSON for each point and stream, then for each break-even, partition point and number of boards.
[[nodiscard]] std::string offload_json(const OffloadAnswer& answer);
// A row for each point and stream.
[[nodiscard]] std::string offload_csv(const OffloadAnswer& answer);

}  // namespace jostle::analyses
