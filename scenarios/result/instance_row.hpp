// A stream as a row of the table of processes.
#pragma once

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// The stream's own figures, and what it shares with its process: index, entry, runtime, status and grades.
// The name is the stream's. Other figures of the process (time_share, memory) are absent.
[[nodiscard]] ProcessResult row_of(const ProcessResult& process, const InstanceResult& instance);

}  // namespace jostle::scenarios
