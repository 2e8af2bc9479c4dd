#include "scenarios/run/stability.hpp"

#include <algorithm>

namespace jostle::scenarios {
namespace {

using process::ArrivalKind;
using sim::Time;

// Requests/s that arrive in the window; 0 for closed loops and cascades.
double request_rate(const process::Arrivals& arrivals, const Window& window) {
  if (arrivals.kind != ArrivalKind::trace)
    return arrivals.rate_per_s * static_cast<double>(arrivals.streams * arrivals.burst) /
           static_cast<double>(arrivals.dynamic_batch);
  const auto count = std::ranges::count_if(
      arrivals.times, [&](sim::Time time) { return time >= window.begin && time < window.end; });
  return static_cast<double>(count * arrivals.burst) / window.seconds();
}

// The work that the streams of a part have done since the warm-up.
struct Work {
  double images = 0;                   // number served
  double full_images = 0, full_s = 0;  // images in full batches, and the service time of these batches
  double streams = 0;
  sim::Time not_full_at = Time::zero();  // last start of a batch that was not full
};

Work work_of(const PartOfProcess& of) {
  Work work;
  for (const process::Served* served : of.process.served_by(of.part)) {
    work.images += static_cast<double>(served->images());
    work.full_images += static_cast<double>(served->full_images());
    work.full_s += sim::to_seconds(served->in_full_batches());
    work.not_full_at = std::max(work.not_full_at, served->not_full_at().value_or(Time::zero()));
    ++work.streams;
  }
  return work;
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
  double factor = 1;  // makes every part stable
  bool rates_known = true;
  for (const std::optional<OpenLoad>& part : parts) {
    if (!part) return std::nullopt;
    sum.offered += part->offered;
    sum.growth += part->growth;
    if (part->stable == false) {
      sum.stable = false;
      rates_known = rates_known && part->stable_rate;
      factor = std::min(factor, part->stable_rate.value_or(0) / part->offered);
    } else if (!part->stable && sum.stable == true) {
      sum.stable.reset();
    }
  }
  if (sum.stable == false && rates_known) sum.stable_rate = factor * sum.offered;
  return sum;
}

bool varies_at_random(const process::Spec& part) {
  const process::Arrivals& arrivals = part.arrivals;
  if (arrivals.kind == ArrivalKind::poisson || arrivals.kind == ArrivalKind::cascade) return true;
  if (arrivals.kind == ArrivalKind::clients && arrivals.think_at_random) return true;
  if (part.generation == nullptr) return false;
  const process::GenerationSpec& generation = part.generation->spec;
  return generation.prompt.kind != process::LengthKind::fixed ||
         generation.tokens.kind != process::LengthKind::fixed || generation.drafted > 0 ||
         generation.sessions.think_at_random;
}

bool counted_whole(const process::Spec& part, const Window& window) {
  const process::Arrivals& arrivals = part.arrivals;
  if (arrivals.kind == ArrivalKind::trace || varies_at_random(part)) return true;
  if (arrivals.kind != ArrivalKind::periodic) return false;
  const double before_s = sim::to_seconds(window.begin - Time::zero());
  const double answers_per_s = arrivals.rate_per_s / static_cast<double>(arrivals.dynamic_batch);
  return arrivals.streams > 1 || answers_per_s * std::min(before_s, window.seconds()) < 2;
}

double variance_of(const process::Spec& part, const process::Served& served, const Window& window) {
  if (!counted_whole(part, window) || served.batches() == 0) return 0;
  const process::Arrivals& arrivals = part.arrivals;
  const bool at_random =
      arrivals.kind == ArrivalKind::poisson ||
      (arrivals.kind == ArrivalKind::cascade && arrivals.fan_out.kind == process::FanOutKind::poisson);
  const auto images = static_cast<double>(served.images());
  const double half_a_batch = images / static_cast<double>(served.batches()) / 2;
  const double together = images_of_request(part) * static_cast<double>(arrivals.burst);
  return half_a_batch * half_a_batch + (at_random ? images * together : 0);
}

double images_of_request(const process::Spec& part) {
  return part.arrivals.max_delay ? 1.0 : static_cast<double>(part.batch);
}

std::optional<OpenLoad> open_load(const PartOfProcess& of, const Window& window, std::int64_t waited,
                                  double link_load) {
  process::Inference& process = of.process;
  const process::Spec& part = process::parts_of(process.spec())[of.part];
  const process::Arrivals& arrivals = part.arrivals;
  if (arrivals.waits_for_answers() || window.seconds() <= 0) return std::nullopt;
  const bool is_cascade = arrivals.kind == ArrivalKind::cascade;
  const double rate = is_cascade ? static_cast<double>(process.delivered(of.part)) / window.seconds()
                                 : request_rate(arrivals, window);
  const auto query = static_cast<double>(arrivals.burst);  // number of requests that come at once
  const double images = images_of_request(part);
  OpenLoad load{.offered = rate * images};
  if (process.spec().setup && !process.ready()) {  // the backlog grows during the set-up in any case
    load.stable.reset();
    return load;
  }
  const Work work = work_of(of);
  const auto backlog_growth =
      arrivals.queue_limit ? 0.0 : static_cast<double>(process.waiting(of.part) - waited);
  double capacity = load.offered / std::max(link_load, 1.0);  // images/s that can be served
  if (!arrivals.queue_limit && work.full_s > 0)
    capacity = std::min(capacity, work.streams * work.full_images / work.full_s);
  const bool exceeds_capacity = load.offered > capacity;
  if (!arrivals.queue_limit && work.images == 0)
    load.stable = !exceeds_capacity && backlog_growth <= query;
  else if (!arrivals.queue_limit && (arrivals.kind == ArrivalKind::trace || is_cascade))
    load.stable = !exceeds_capacity || backlog_growth <= query;
  else
    load.stable = !exceeds_capacity || (link_load <= 1 && work.not_full_at > window.middle());
  if (*load.stable) return load;
  // Right after the set-up, and in a run of few batches, the backlog does not show a trend yet.
  constexpr double fewest_served = 10;
  const bool ends = process.spec().batches.has_value();
  if ((process.spec().setup || ends) && work.images < fewest_served * images) {
    load.stable.reset();
    return load;
  }
  if (exceeds_capacity) load.stable_rate = capacity;
  // Behind an overloaded link, lost requests delay those behind them, so that even less is served.
  const double served_per_s =
      arrivals.queue_limit ? capacity : std::min(capacity, work.images / window.seconds());
  load.growth = exceeds_capacity ? load.offered - served_per_s : images * backlog_growth / window.seconds();
  return load;
}

}  // namespace jostle::scenarios
