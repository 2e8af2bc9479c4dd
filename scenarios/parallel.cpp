#include "scenarios/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "scenarios/side_by_side.hpp"

namespace jostle::scenarios {
namespace {

// TBB orders what comes before a piece, the piece and what comes after, but ThreadSanitizer cannot see it
// (side_by_side.hpp). This says the same where it can. Not a local of parallel_for: to reach one, a piece
// would have to read its own captures before it is known that they were written.
std::atomic<std::size_t> order = 0;

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads) {
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1U);
  order.fetch_add(1);
  const auto piece = [&work](std::size_t i) {
    order.fetch_add(1);
    work(i);
    order.fetch_add(1);
  };
  side_by_side(count, piece, threads);
  order.fetch_add(1);
}

}  // namespace jostle::scenarios
