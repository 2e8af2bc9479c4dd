// The same work in fewer processes or in more: several as streams of one, or the streams of one as processes.
#pragma once

#include <optional>

#include "analyses/explain/what_if.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

// The processes on the GPU whose host settings are equal (the way of waiting aside: one that polls, polls for
// all), as streams of the first of them. Each keeps its network, its requests and its queue. None where fewer
// than two can be put together.
[[nodiscard]] std::optional<WhatIfBoard> as_streams(const scenarios::Scenario& scenario);

// Each stream of each process as a process of its own. None where no process has several, or where streams
// share requests, which processes cannot.
[[nodiscard]] std::optional<WhatIfBoard> as_processes(const scenarios::Scenario& scenario);

}  // namespace jostle::analyses
