// Which resource is short: by what more of each brings, else by where the time goes.
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

// Of the time of all processes, what each resource takes: gpu_running split by what bounds the kernels. Mean
// over the processes; none if none has figures.
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

double gain_of(const Tried& tried, bool latency) {
  if (!tried.all_fit) return 0;
  return latency ? -tried.latency_ms.relative().value_or(0) : tried.throughput.certain();
}

std::string interval(const Change& change) {
  if (!change.half_width || !change.before || *change.before == 0) return {};
  return fmt::format(" (± {:.1f} %)", 100 * *change.half_width / *change.before);
}

std::string sentence(const Critical& critical, const std::vector<Tried>& tried) {
  const std::string share = fmt::format("{:.1f} % of the processes' time", 100 * critical.share);
  if (!critical.what_if) {
    if (critical.resource == Resource::requests)
      return fmt::format("{}, {}", in_words(critical.resource), share);
    return fmt::format("{}: it takes {}, and no change of one resource brings {:.0f} %",
                       in_words(critical.resource), share, 100 * least_speed_up);
  }
  const Tried& shown = tried[*critical.what_if];
  const std::string brings = critical.of_latency
                                 ? fmt::format("{} would take {:.1f} % off the mean latency",
                                               shown.what_if.label, 100 * critical.gain)
                                 : fmt::format("{} would bring {:.1f} % more images/s{}", shown.what_if.label,
                                               100 * critical.gain, interval(shown.throughput));
  return fmt::format("{}: {}, more than any other change of one resource; directly it takes {}",
                     in_words(critical.resource), brings, share);
}

}  // namespace

std::optional<Critical> critical_resource(const scenarios::Result& result, const std::vector<Tried>& tried,
                                          bool all_have_arrivals) {
  std::optional<Shares> shares = shares_of(result);
  if (!shares) return std::nullopt;
  Critical critical;
  critical.of_latency = all_have_arrivals;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const auto& resource = tried[i].what_if.resource;
    const double gain = gain_of(tried[i], all_have_arrivals);
    if (!resource || gain < least_speed_up || gain <= critical.gain) continue;
    critical.resource = *resource;
    critical.gain = gain;
    critical.what_if = i;
  }
  if (!critical.what_if) {
    const auto largest = std::ranges::max_element(*shares) - shares->begin();
    critical.resource = static_cast<Resource>(largest);
  }
  critical.share = of(*shares, critical.resource);
  critical.sentence = sentence(critical, tried);
  return critical;
}

}  // namespace jostle::analyses
