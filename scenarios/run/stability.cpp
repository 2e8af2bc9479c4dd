#include "scenarios/run/stability.hpp"

#include <algorithm>

namespace jostle::scenarios {

namespace {

using process::ArrivalKind;

// Requests/s that come in the window; 0 for a closed loop.
double request_rate(const process::Arrivals& arrivals, const Window& window) {
  if (arrivals.kind != ArrivalKind::trace)
    return arrivals.rate_per_s * static_cast<double>(arrivals.streams) /
           static_cast<double>(arrivals.dynamic_batch);
  const auto count = std::ranges::count_if(
      arrivals.times, [&](sim::Time time) { return time >= window.begin && time < window.end; });
  return static_cast<double>(count) / window.seconds();
}

}  // namespace

double load_of_link(const link::Spec& link, std::deque<process::Inference>& processes, const Window& window) {
  double load = 0;
  for (const process::Inference& process : processes)
    load += request_rate(process.spec().arrivals, window) * process.spec().payload_bytes /
            link.bandwidth_bytes_per_s / (1 - link.loss);
  return load;
}

std::optional<OpenLoad> open_load(process::Inference& process, const Window& window, std::int64_t waited,
                                  double link_load) {
  const process::Arrivals& arrivals = process.spec().arrivals;
  if (arrivals.kind == ArrivalKind::closed_loop || window.seconds() <= 0) return std::nullopt;
  const double rate = request_rate(arrivals, window);
  const auto images = static_cast<double>(process.spec().batch);
  OpenLoad load{.offered = rate * images};
  if (process.spec().setup && !process.ready()) {  // what waits says nothing yet
    load.stable.reset();
    return load;
  }
  const auto served = static_cast<double>(process.batches());
  const auto more_wait = arrivals.queue_limit ? 0.0 : static_cast<double>(process.waiting() - waited);
  double capacity = rate / std::max(link_load, 1.0);  // requests/s that can be served
  if (!arrivals.queue_limit && served > 0)
    capacity = std::min(capacity, served / sim::to_seconds(process.in_service()));
  const bool asks_too_much = rate > capacity;
  if (!arrivals.queue_limit && served == 0)
    load.stable = !asks_too_much && more_wait <= 1;
  else if (!arrivals.queue_limit && arrivals.kind == ArrivalKind::trace)
    load.stable = !asks_too_much || more_wait <= 1;
  else
    load.stable = !asks_too_much;
  if (*load.stable) return load;
  // Right after a set-up, and in a run of few batches, what waits since then says nothing yet.
  constexpr double fewest_served = 10;
  const bool ends = process.spec().batches.has_value();
  if ((process.spec().setup || ends) && served < fewest_served) {
    load.stable.reset();
    return load;
  }
  // Behind a link that is full, lost requests hold up those behind them: even less is served.
  const double kept_up = arrivals.queue_limit ? capacity : std::min(capacity, served / window.seconds());
  load.growth = images * (asks_too_much ? rate - kept_up : more_wait / window.seconds());
  return load;
}

}  // namespace jostle::scenarios
