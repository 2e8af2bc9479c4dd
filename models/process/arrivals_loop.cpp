// Requests that come at their times: the host serves one, and sleeps while there is none, through or in
// short steps.
#include <optional>

#include "models/process/loops.hpp"

namespace jostle::process {

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

}  // namespace jostle::process
