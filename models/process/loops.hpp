// The loops of a process: the order in which it takes requests and does the steps of its batches.
//
//   closed loop   a request arrives whenever the process is ready to take one
//   arrivals      requests arrive at given or random times
//   link          requests come over a link; in a closed loop the client sends the next one after an answer
//
// In the loops `one_by_one`, a batch is done before the next one begins. In those `one_ahead`, the host
// enqueues batch i+1 before it waits for batch i, as trtexec does. A new loop is one function and its line in
// loop_of().
#pragma once

#include <cstdint>
#include <variant>

#include "models/process/arrivals.hpp"
#include "models/process/batch_steps.hpp"
#include "models/process/remote_client.hpp"
#include "models/process/spec.hpp"
#include "sim/process.hpp"

namespace jostle::process {

enum class LoopEnd : std::uint8_t { all_batches_done, no_more_requests };

// The source of requests: they are made on the board, or come over a link.
using Requests = std::variant<RequestQueue, RemoteClient>;

// The loop of a process. All arguments must outlive it.
[[nodiscard]] sim::Task<LoopEnd> loop_of(const Spec& spec, BatchSteps& steps, Requests& requests);

}  // namespace jostle::process
