#include "models/process/loops.hpp"

#include <optional>

namespace jostle::process {
namespace {

// Requests that come at their times: the host serves one, and sleeps while there is none, through or in
// short steps.
sim::Task<LoopEnd> arrivals_loop(BatchSteps& steps, RequestQueue& requests,
                                 const std::optional<PollingWait>& wait) {
  for (std::uint64_t batch = 0; batch < steps.max_batches(); ++batch) {
    std::optional<sim::Time> made;
    while (!(made = requests.take(steps.now()))) {
      if (requests.next() == sim::Time::never()) co_return LoopEnd::no_more_requests;
      if (!wait) {
        co_await steps.host().sleep_until(requests.next());
        continue;
      }
      co_await steps.host().wake_at(steps.now() + wait->poll + timer_slack);
      co_await steps.host().run(wait->work);
    }
    co_await steps.serve(batch, *made);
    requests.answered(*made, steps.now());
  }
  co_return LoopEnd::all_batches_done;
}

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

// Requests that come over a link: the client knows of an answer, and the host of a request, only later.
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

}  // namespace

sim::Task<LoopEnd> loop_of(const Spec& spec, BatchSteps& steps, Requests& requests) {
  const bool closed = spec.arrivals.closed_loop();
  const bool ahead = closed && !steps.one_by_one();
  if (auto* client = std::get_if<RemoteClient>(&requests))
    return ahead ? link_loop_one_ahead(steps, *client) : link_loop_one_by_one(steps, *client);
  if (!closed) return arrivals_loop(steps, std::get<RequestQueue>(requests), spec.arrivals.wait);
  return ahead ? closed_loop_one_ahead(steps) : closed_loop_one_by_one(steps);
}

}  // namespace jostle::process
