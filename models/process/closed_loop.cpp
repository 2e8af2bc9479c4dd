// Closed loops: a request arrives whenever the process is ready to take one.
#include "models/process/loops.hpp"

namespace jostle::process {

sim::Task<LoopEnd> closed_loop_one_by_one(BatchSteps& steps) {
  for (std::uint64_t batch = 0; batch < steps.max_batches(); ++batch)
    co_await steps.serve(batch, steps.now());
  co_return LoopEnd::all_batches_done;
}

sim::Task<LoopEnd> closed_loop_one_ahead(BatchSteps& steps) {
  const std::uint64_t batches = steps.max_batches();
  co_await steps.enqueue(0, steps.now());
  for (std::uint64_t batch = 0; batch < batches; ++batch) {
    if (batch + 1 < batches) co_await steps.enqueue(batch + 1, steps.now());
    co_await steps.synchronise(batch);
    steps.record(batch);
  }
  co_return LoopEnd::all_batches_done;
}

}  // namespace jostle::process
