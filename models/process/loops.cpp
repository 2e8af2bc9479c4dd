#include "models/process/loops.hpp"

namespace jostle::process {

sim::Task<LoopEnd> loop_of(const Spec& spec, BatchSteps& steps, Requests& requests) {
  const bool closed = spec.arrivals.closed_loop();
  const bool ahead = closed && !steps.one_by_one();
  if (auto* client = std::get_if<RemoteClient>(&requests))
    return ahead ? link_loop_one_ahead(steps, *client) : link_loop_one_by_one(steps, *client);
  if (!closed) return arrivals_loop(steps, std::get<RequestQueue>(requests), spec.arrivals.wait);
  return ahead ? closed_loop_one_ahead(steps) : closed_loop_one_by_one(steps);
}

}  // namespace jostle::process
