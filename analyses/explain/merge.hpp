// Puts the same work into fewer processes or more: several processes as streams of one, or streams as
// processes.
#pragma once

#include <optional>

#include "analyses/explain/what_if.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

// Makes the processes on the GPU whose host settings are equal streams of the first of them. Ways of waiting
// may differ: if one process polls, the merged one polls. Each stream keeps its network, its requests and its
// queue. None if fewer than two processes can be merged.
[[nodiscard]] std::optional<WhatIfBoard> as_streams(const scenarios::Scenario& scenario);

// Makes each stream of each process a process of its own. None if no process has several streams, or if
// streams share requests, which processes cannot do.
[[nodiscard]] std::optional<WhatIfBoard> as_processes(const scenarios::Scenario& scenario);

}  // namespace jostle::analyses
