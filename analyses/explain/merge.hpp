// Puts the same work into fewer processes or more: several processes as streams of one, or streams as
// processes; and processes into other entries.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

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

// A part of a process as a single instance, or as a process: one stream, without a part of the SMs.
[[nodiscard]] scenarios::ProcessEntry alone(const scenarios::ProcessEntry& part);

// Puts processes into other entries: each into those of its groups, none for one that is left out, and
// several for twins. Those of one entry and group stay together; `set` changes the new entry.
[[nodiscard]] WhatIfBoard regrouped(
    const scenarios::Scenario& before,
    const std::function<std::vector<std::size_t>(const scenarios::ProcessInstance&)>& groups_of,
    const std::function<void(std::size_t group, scenarios::ProcessEntry& entry)>& set);

}  // namespace jostle::analyses
