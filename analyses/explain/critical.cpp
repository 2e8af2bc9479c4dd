// Finds the critical resource: the resource of which more brings the largest gain, else the resource that
// takes the largest share of the time.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyses/explain/explain.hpp"

namespace jostle::analyses {
namespace {

constexpr double least_speed_up = 0.05;

using Shares = std::array<double, process::resource_count>;

double& of(Shares& shares, Resource resource) {
  return shares[index_of(resource)];
}

// The share of the processes' time that each resource takes; gpu_running is split by what limits the kernels.
// Mean over the processes; none if no process has time shares.
std::optional<Shares> shares_of(const scenarios::Result& result) {
  Shares sum{};
  double count = 0;
  for (const scenarios::ProcessResult& process : result.processes) {
    if (!process.time_share) continue;
    ++count;
    const scenarios::TimeShare& shares = *process.time_share;
    for (const process::ShareRow& row : process::share_rows)
      of(sum, row.resource) += shares[index_of(row.share)];
    const double running = shares[index_of(process::Share::gpu_running)];
    const double memory = running * process.gpu_running_by.memory.value_or(0);
    const double throttled = running * process.gpu_running_by.throttled.value_or(0);
    of(sum, Resource::memory_bandwidth) += memory;
    of(sum, Resource::power_limits) += throttled;
    of(sum, Resource::gpu) -= memory + throttled;
  }
  if (count == 0) return std::nullopt;
  for (double& share : sum) share /= count;
  return sum;
}

// Among the changes that end the overload, the one with the lowest latency is better; else by gain.
bool better(const Tried& a, const Tried& b) {
  if (a.worth.rescues != b.worth.rescues) return a.worth.rescues;
  return a.worth.rescues ? a.latency_ms.after < b.latency_ms.after : a.gain > b.gain;
}

std::string sentence(const Critical& critical, const std::vector<Tried>& tried) {
  const std::string share = fmt::format("{:.1f} % of the processes' time", 100 * critical.share);
  if (critical.what_if) {
    const Tried& shown = tried[*critical.what_if];
    const bool moves = critical.resource == Resource::clock_governors && !shown.sentence.empty();
    return fmt::format("{}: among resources, more of this {}: {}{}", in_words(critical.resource),
                       critical.rescues ? "lets all keep up at the least latency" : "brings most",
                       shown.named(), moves ? "; " + shown.sentence : "");
  }
  if (critical.resource == Resource::requests)
    return fmt::format("{}, {}", in_words(critical.resource), share);
  const std::vector<std::size_t> best = leading(tried);
  return fmt::format("{}: it takes {}, and no change of one resource alone brings {:.0f} % beyond chance{}",
                     in_words(critical.resource), share, 100 * least_speed_up,
                     best.empty() ? "" : fmt::format("; {} would bring most", tried[best.front()].named()));
}

}  // namespace

std::optional<Critical> critical_resource(const scenarios::Result& result, const std::vector<Tried>& tried) {
  std::optional<Shares> shares = shares_of(result);
  if (!shares) return std::nullopt;
  Critical critical;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const bool shows = tried[i].worth.rescues || (tried[i].all_fit && tried[i].gain >= least_speed_up);
    if (tried[i].what_if.resource && shows &&
        (!critical.what_if || better(tried[i], tried[*critical.what_if])))
      critical.what_if = i;
  }
  if (critical.what_if) {
    const Tried& best = tried[*critical.what_if];
    critical.resource = *best.what_if.resource;
    critical.gain = best.gain;
    critical.rescues = best.worth.rescues;
  } else {
    critical.resource = static_cast<Resource>(std::ranges::max_element(*shares) - shares->begin());
  }
  critical.share = of(*shares, critical.resource);
  critical.sentence = sentence(critical, tried);
  return critical;
}

}  // namespace jostle::analyses
