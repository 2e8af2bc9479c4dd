// The parts of the mean latency of a process with stages.
#pragma once

#include <string>

#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// "an image takes 78.1 ms: GPU and launches 33.4, decode h264 19.6, waiting for a full batch, a turn or a
// core 13, ...", the greatest part first; parts below a twentieth are summed. Empty without stages, without a
// mean latency, and if the parts overlap, so that they are more than the latency.
[[nodiscard]] std::string latency_parts(const scenarios::ProcessResult& process);

}  // namespace jostle::analyses
