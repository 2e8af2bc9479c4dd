#include "scenarios/run/stability.hpp"

#include <algorithm>

namespace jostle::scenarios {

namespace {

using process::ArrivalKind;
using process::Share;

// Requests/s that come in the window; 0 for a closed loop.
double request_rate(const process::Arrivals& arrivals, const Window& window) {
  if (arrivals.kind != ArrivalKind::trace)
    return arrivals.rate_per_s * static_cast<double>(arrivals.streams) /
           static_cast<double>(arrivals.dynamic_batch);
  const auto count = std::ranges::count_if(
      arrivals.times, [&](sim::Time time) { return time >= window.begin && time < window.end; });
  return static_cast<double>(count) / window.seconds();
}

// Offered requests over what the process could serve if it never waited for one; 0 if it served none.
double utilisation(const process::Inference& process, double rate, double served) {
  const process::TimeAccount& time = process.time();
  const double busy = sim::to_seconds(time.elapsed() - time.in(Share::idle)-time.in(Share::link));
  return served > 0 ? rate * busy / served : 0;
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
  const double served = process.rate().amount(window.end).value_or(0) / images;
  OpenLoad load{.offered = rate * images};
  if (arrivals.queue_limit) return load;

  const std::int64_t waiting = process.waiting();
  const bool overloaded = utilisation(process, rate, served) > 1;
  if (served < 3)
    load.stable = static_cast<double>(waiting - waited) <= served + 1;
  else if (arrivals.kind == ArrivalKind::trace)
    load.stable = !overloaded || waiting <= waited + 1;
  else
    load.stable = !overloaded;
  load.stable = load.stable && link_load <= 1;
  if (!load.stable) load.growth = std::max(load.offered - served * images / window.seconds(), 0.0);
  return load;
}

}  // namespace jostle::scenarios
