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

std::vector<std::optional<OpenLoad>> open_loads(process::Inference& process, const Window& window,
                                                const std::vector<std::int64_t>& waited, double link_load) {
  std::vector<std::optional<OpenLoad>> loads;
  for (std::size_t part = 0; part < waited.size(); ++part)
    loads.push_back(open_load({process, part}, window, waited[part], link_load));
  return loads;
}

std::optional<OpenLoad> together(const std::vector<std::optional<OpenLoad>>& parts) {
  OpenLoad sum;
  for (const std::optional<OpenLoad>& part : parts) {
    if (!part) return std::nullopt;
    sum.offered += part->offered;
    sum.growth += part->growth;
    if (part->stable == false)
      sum.stable = false;
    else if (!part->stable && sum.stable == true)
      sum.stable.reset();
  }
  return sum;
}

namespace {

// What the streams of a part did since the warm-up.
struct Work {
  double requests = 0;  // served
  double in_service = 0;
  double streams = 0;
};

Work work_of(const PartOfProcess& of, bool single_images) {
  Work work;
  for (const process::Served* served : of.process.served_by(of.part)) {
    work.requests += static_cast<double>(single_images ? served->images() : served->batches());
    work.in_service += sim::to_seconds(served->in_service());
    ++work.streams;
  }
  return work;
}

}  // namespace

std::optional<OpenLoad> open_load(const PartOfProcess& of, const Window& window, std::int64_t waited,
                                  double link_load) {
  process::Inference& process = of.process;
  const process::Spec& part = process::parts_of(process.spec())[of.part];
  const process::Arrivals& arrivals = part.arrivals;
  if (arrivals.kind == ArrivalKind::closed_loop || window.seconds() <= 0) return std::nullopt;
  const bool told = arrivals.kind == ArrivalKind::cascade;
  const double rate = told ? static_cast<double>(process.delivered(of.part)) / window.seconds()
                           : request_rate(arrivals, window);
  const auto images = arrivals.max_delay ? 1.0 : static_cast<double>(part.batch);
  OpenLoad load{.offered = rate * images};
  if (process.spec().setup && !process.ready()) {  // what waits says nothing yet
    load.stable.reset();
    return load;
  }
  const Work work = work_of(of, arrivals.max_delay.has_value());
  const auto more_wait = arrivals.queue_limit ? 0.0 : static_cast<double>(process.waiting(of.part) - waited);
  double capacity = rate / std::max(link_load, 1.0);  // requests/s that can be served
  if (!arrivals.queue_limit && work.requests > 0)
    capacity = std::min(capacity, work.streams * work.requests / work.in_service);
  const bool asks_too_much = rate > capacity;
  if (!arrivals.queue_limit && work.requests == 0)
    load.stable = !asks_too_much && more_wait <= 1;
  else if (!arrivals.queue_limit && (arrivals.kind == ArrivalKind::trace || told))
    load.stable = !asks_too_much || more_wait <= 1;
  else
    load.stable = !asks_too_much;
  if (*load.stable) return load;
  // Right after a set-up, and in a run of few batches, what waits since then says nothing yet.
  constexpr double fewest_served = 10;
  const bool ends = process.spec().batches.has_value();
  if ((process.spec().setup || ends) && work.requests < fewest_served) {
    load.stable.reset();
    return load;
  }
  // Behind a link that is full, lost requests hold up those behind them: even less is served.
  const double kept_up =
      arrivals.queue_limit ? capacity : std::min(capacity, work.requests / window.seconds());
  load.growth = images * (asks_too_much ? rate - kept_up : more_wait / window.seconds());
  return load;
}

}  // namespace jostle::scenarios
