#include "scenarios/run/parallel_backend.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

namespace jostle::scenarios {

void parallel_backend(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads) {
  // Without this TBB uses at most as many threads as there are cores.
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, work, tbb::simple_partitioner()); });
}

}  // namespace jostle::scenarios
