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
  const auto images = static_cast<double>(process.spec().batch);
  const double rate = request_rate(arrivals, window);
  const double over_link = rate / std::max(link_load, 1.0);  // requests/s that the link can deliver
  const auto served = static_cast<double>(process.batches());
  const auto more_wait = static_cast<double>(process.waiting() - waited);
  OpenLoad load{.offered = rate * images, .stable = link_load <= 1};
  if (!arrivals.queue_limit) {
    const bool overloaded = rate * sim::to_seconds(process.in_service()) > served;
    if (served < 3)
      load.stable = load.stable && more_wait <= served + 1;
    else
      load.stable = load.stable && !(overloaded && (arrivals.kind != ArrivalKind::trace || more_wait > 1));
  }
  if (load.stable) return load;
  const double kept_up = arrivals.queue_limit ? over_link : std::min(over_link, served / window.seconds());
  const double growth = rate > kept_up ? rate - kept_up : more_wait / window.seconds();
  load.growth = growth * images;
  return load;
}

}  // namespace jostle::scenarios
