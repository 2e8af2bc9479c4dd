// A stream as a row of the table of processes.
#pragma once

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// The stream's own metrics and name, and the values it shares with its process: index, entry, runtime, status
// and grades. Other metrics of the process (time_share, memory) are absent.
[[nodiscard]] ProcessResult row_of(const ProcessResult& process, const InstanceResult& instance);

}  // namespace jostle::scenarios
