// Gives the streams of one process SMs of their own: partitions of the GPU (gpu/partitions.hpp).
#pragma once

#include <optional>
#include <string>

#include "analyses/explain/what_if.hpp"
#include "models/gpu/spec.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

struct SplitSms {
  WhatIfBoard board;
  std::string label;  // "SMs split, 64 each", "40 SMs for camera"
};

// The work on the GPU as streams of one process (as_streams()), each with about as many SMs as any other.
// None if the GPU has no partitions, or too few SMs for so many streams, or if there is only one stream, or
// streams that share requests.
[[nodiscard]] std::optional<SplitSms> equal_partitions(const scenarios::Scenario& scenario,
                                                       const gpu::Spec& gpu);

// The same work, in which the streams that must answer soon have `share` of the SMs together, and all others
// the rest. Streams that must answer soon have priority, or, if none has, requests while others are closed
// loops. None if these are all streams or none.
[[nodiscard]] std::optional<SplitSms> partition_for_critical(const scenarios::Scenario& scenario,
                                                             const gpu::Spec& gpu, double share);

}  // namespace jostle::analyses
