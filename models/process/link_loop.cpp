// Requests that come over a link: the client knows of an answer, and the host of a request, only later.
#include <optional>

#include "models/process/loops.hpp"

namespace jostle::process {

sim::Task<LoopEnd> link_loop_one_by_one(BatchSteps& steps, RemoteClient& client) {
  client.ask();
  for (std::uint64_t batch = 0; batch < steps.max_batches(); ++batch) {
    std::optional<sim::Time> made;
    while (!(made = client.take())) {
      if (!client.expected()) co_return LoopEnd::no_more_requests;
      co_await steps.host().sleep_until(client.arrival());
    }
    co_await steps.serve(batch, *made);
    client.answer();
  }
  co_return LoopEnd::all_batches_done;
}

// A closed loop, so requests do not end before the batches. The second request is made when the first is
// enqueued; from then on two are in transit or being served, and the next is made when an answer is back. The
// host has one thread: it enqueues the requests that are there, and only then waits for the batches that it
// has enqueued.
sim::Task<LoopEnd> link_loop_one_ahead(BatchSteps& steps, RemoteClient& client) {
  const std::uint64_t batches = steps.max_batches();
  std::uint64_t enqueued = 0;
  client.ask();
  for (std::uint64_t batch = 0; batch < batches;) {
    client.catch_up();
    std::optional<sim::Time> made;
    if (enqueued < batches && enqueued < batch + 2) made = client.take();
    if (made) {
      co_await steps.enqueue(enqueued, *made);
      if (++enqueued == 1) client.ask();
    } else if (batch < enqueued) {
      co_await steps.synchronise(batch);
      steps.record(batch++);
      client.answer();
    } else {
      co_await steps.host().sleep_until(client.arrival());
    }
  }
  co_return LoopEnd::all_batches_done;
}

}  // namespace jostle::process
