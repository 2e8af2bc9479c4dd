#include "scenarios/run/parallel_backend.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>

namespace jostle::scenarios {

void parallel_backend(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads) {
  // Without this, TBB uses at most as many threads as there are cores.
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  // Each thread takes the next item, so that items start in order: the caller puts the longest first.
  std::atomic<std::size_t> next = 0;
  const auto take = [&](unsigned) {
    for (std::size_t i = next++; i < count && !tbb::is_current_task_group_canceling(); i = next++) work(i);
  };
  arena.execute([&] { tbb::parallel_for(0U, threads, take, tbb::simple_partitioner()); });
}

}  // namespace jostle::scenarios
