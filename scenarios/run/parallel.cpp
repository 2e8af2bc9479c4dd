#include "scenarios/run/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "input/interruption.hpp"
#include "scenarios/run/parallel_backend.hpp"

namespace jostle::scenarios {
namespace {

// TBB orders the caller's work before an item, the item and the work after it, even if one throws, but
// ThreadSanitizer cannot see that (parallel_backend.hpp). This variable establishes the same order in a way
// that it can see. It is not a local of parallel_for: to reach a local, an item would have to read its
// captures before the sanitizer knows that they were written.
std::atomic<std::size_t> order = 0;

struct InOrder {
  InOrder() { order.fetch_add(1); }
  ~InOrder() { order.fetch_add(1); }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;
};

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads) {
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1U);
  const std::atomic<bool>& interruption = input::interruption();
  const std::function<void(std::size_t)> item = [&](std::size_t i) {
    const InOrder ordered;
    const input::InterruptedBy caller(interruption);
    work(i);
  };
  const InOrder ordered;
  parallel_backend(count, item, threads);
}

}  // namespace jostle::scenarios
