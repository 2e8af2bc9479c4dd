#include "scenarios/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace jostle::scenarios {
namespace {

// TBB orders what comes before a piece, the piece and what comes after; but it does so inside a library that
// is not built for ThreadSanitizer. This says the same where that can see it. Not a local of parallel_for: to
// reach one, a piece would have to read its own captures before it is known that they were written.
std::atomic<std::size_t> order = 0;

class Piece {
 public:
  explicit Piece(const std::function<void(std::size_t)>& work) : work_(&work) { order.fetch_add(1); }
  void operator()(std::size_t i) const {
    order.fetch_add(1);
    (*work_)(i);
    order.fetch_add(1);
  }

 private:
  const std::function<void(std::size_t)>* work_;
};

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads) {
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1U);
  // TBB keeps to the number of cores unless told otherwise.
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  const Piece piece(work);
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, piece, tbb::simple_partitioner()); });
  order.fetch_add(1);
}

}  // namespace jostle::scenarios
