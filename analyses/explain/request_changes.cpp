// Changes of batches and of the requests that come.
#include <fmt/format.h>

#include <algorithm>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/intervention.hpp"

namespace jostle::analyses {
namespace {

using process::ArrivalKind;
using scenarios::ProcessEntry;

constexpr std::int64_t waiting_batch = 4;  // batch-of-waiting: the images of a batch at most

// Changes every part that has requests of its own; none if `change` never applies.
template <class F>
std::optional<Changed> for_requests(const Request& request, const std::string& label, const F& change) {
  scenarios::Scenario scenario = request.scenario;
  bool any = false;
  for (ProcessEntry& process : scenario.processes)
    for (ProcessEntry& part : parts_of(process)) any |= change(process, part);
  if (!any) return std::nullopt;
  return one_board(label, std::move(scenario));
}

bool is_overloaded(const Request& request) {
  return !overloaded_in(request.before).empty();
}

}  // namespace

// Doubles the batch of networks in a closed loop. With arrivals a larger batch would be more work, not fewer
// calls.
std::optional<Changed> batch_doubled(const Request& request) {
  scenarios::Scenario scenario = request.scenario;
  std::vector<std::int64_t> batches;
  for (ProcessEntry& process : scenario.processes) {
    for (ProcessEntry& part : parts_of(process)) {
      if (!part.arrivals.closed_loop() || is_synthetic(part)) continue;
      part.work.batch *= 2;
      batches.push_back(part.work.batch);
    }
  }
  if (batches.empty()) return std::nullopt;
  const bool equal = std::ranges::all_of(batches, [&](std::int64_t batch) { return batch == batches[0]; });
  return one_board(equal ? fmt::format("batch {}", batches[0]) : "batches doubled", std::move(scenario));
}

// Requests that find others waiting are served together; none waits for others to come.
std::optional<Changed> batch_of_waiting(const Request& request) {
  return for_requests(request, fmt::format("batches of up to {} that wait", waiting_batch),
                      [](const ProcessEntry& /*process*/, ProcessEntry& part) {
                        const auto& arrivals = part.arrivals;
                        if (arrivals.closed_loop() || arrivals.kind == ArrivalKind::cascade ||
                            arrivals.max_delay || part.work.batch > 1 || part.language || is_synthetic(part))
                          return false;
                        part.work.batch = waiting_batch;
                        part.arrivals.max_delay = sim::Duration::zero();
                        return true;
                      });
}

// A batch goes when it is full, or after the time in which it would be full: so long that it mostly is.
std::optional<Changed> batch_with_delay(const Request& request) {
  constexpr double longest_s = 0.1;
  return for_requests(request, fmt::format("batches of {} that wait for more", waiting_batch),
                      [](const ProcessEntry& /*process*/, ProcessEntry& part) {
                        process::Arrivals& arrivals = part.arrivals;
                        const double rate = arrivals.rate_per_s * static_cast<double>(arrivals.streams);
                        const double delay_s =
                            rate > 0 ? static_cast<double>(waiting_batch - 1) / rate : longest_s;
                        if (delay_s >= longest_s || arrivals.max_delay || part.work.batch > 1 ||
                            part.language || is_synthetic(part))
                          return false;
                        part.work.batch = waiting_batch;
                        arrivals.max_delay = sim::seconds(delay_s);
                        return true;
                      });
}

// A queue of one: the request that has waited longest is dropped when another comes.
std::optional<Changed> drop_frames(const Request& request) {
  if (!is_overloaded(request)) return std::nullopt;
  return for_requests(request, "drop old frames", [](const ProcessEntry& /*process*/, ProcessEntry& part) {
    if (part.arrivals.closed_loop() || part.arrivals.queue_limit || part.arrivals.burst > 1 || part.language)
      return false;
    part.arrivals.queue_limit = 1;
    part.arrivals.drop = process::Drop::oldest;
    return true;
  });
}

std::optional<Changed> skip_frames(const Request& request) {
  if (!is_overloaded(request)) return std::nullopt;
  return for_requests(request, "every second frame", [](const ProcessEntry& /*process*/, ProcessEntry& part) {
    if (part.arrivals.kind != ArrivalKind::periodic || part.language) return false;
    part.arrivals.rate_per_s /= 2;
    return true;
  });
}

}  // namespace jostle::analyses
