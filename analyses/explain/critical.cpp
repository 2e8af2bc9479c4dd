// Finds the critical resource: the resource of which more brings the largest gain, else the resource that
// takes the largest share of the time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

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

double gain_of(const Tried& tried, CriticalGain by) {
  if (!tried.all_fit) return 0;
  if (by == CriticalGain::worth) return tried.worth.relative_gain();
  return by == CriticalGain::latency ? -tried.latency_ms.relative().value_or(0) : tried.throughput.certain();
}

// The gain from more of one resource.
struct Candidate {
  std::size_t what_if;  // index of the change
  double gain;          // relative, of throughput or latency
  bool rescues;         // ends an overload: all processes keep up with it
  double latency_ms;    // mean with the change

  // Among the changes that end the overload, takes the one with the lowest latency.
  [[nodiscard]] bool better_than(const Candidate& other) const {
    if (rescues != other.rescues) return rescues;
    return rescues ? latency_ms < other.latency_ms : gain > other.gain;
  }
};

std::vector<Candidate> candidates_of(const std::vector<Tried>& tried, CriticalGain by, bool overloaded) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Candidate candidate{
        .what_if = i,
        .gain = gain_of(tried[i], by),
        .rescues = overloaded && tried[i].is_stable(),
        .latency_ms = tried[i].latency_ms.after.value_or(std::numeric_limits<double>::infinity())};
    if (tried[i].what_if.resource && (candidate.rescues || candidate.gain >= least_speed_up))
      candidates.push_back(candidate);
  }
  return candidates;
}

std::string interval(const Change& change) {
  if (!change.half_width || !change.before || *change.before == 0) return {};
  return fmt::format(" (repeats: ± {:.1f} %)", 100 * *change.half_width / *change.before);
}

// "twice the bandwidth would bring 30.4 % more images/s (repeats: ± 0.8 %), more than any other ..."
std::string brings(const Critical& critical, const Tried& shown) {
  const char* others = "change of one resource";
  if (critical.rescues)
    return fmt::format("{} would let all keep up ({:+.1f} % images/s), at less latency than any other {}",
                       shown.what_if.label, 100 * shown.throughput.relative().value_or(0), others);
  if (critical.of_worth)
    return fmt::format("{} would bring {:.1f} % by what the scenario is judged by, more than any other {}",
                       shown.what_if.label, 100 * critical.gain, others);
  if (critical.of_latency)
    return fmt::format("{} would take {:.1f} % off the mean latency, more than any other {}",
                       shown.what_if.label, 100 * critical.gain, others);
  return fmt::format("{} would bring {:.1f} % more images/s{}, more than any other {}", shown.what_if.label,
                     100 * critical.gain, interval(shown.throughput), others);
}

std::string sentence(const Critical& critical, const std::vector<Tried>& tried) {
  const std::string share = fmt::format("{:.1f} % of the processes' time", 100 * critical.share);
  if (critical.what_if) {
    const Tried& shown = tried[*critical.what_if];
    // Low clocks take no time of their own: they lengthen the time on the other resources.
    const std::string how =
        critical.resource == Resource::clock_governors ? shown.sentence : "directly it takes " + share;
    return fmt::format("{}: {}{}{}", in_words(critical.resource), brings(critical, shown),
                       how.empty() ? "" : "; ", how);
  }
  if (critical.resource == Resource::requests)
    return fmt::format("{}, {}", in_words(critical.resource), share);
  return fmt::format("{}: it takes {}, and no change of one resource brings {:.0f} %",
                     in_words(critical.resource), share, 100 * least_speed_up);
}

}  // namespace

std::optional<Critical> critical_resource(const scenarios::Result& result, const std::vector<Tried>& tried,
                                          CriticalGain by) {
  std::optional<Shares> shares = shares_of(result);
  if (!shares) return std::nullopt;
  const bool overloaded = !overloaded_in(result).empty();
  Critical critical;
  if (by == CriticalGain::latency && overloaded) by = CriticalGain::throughput;
  critical.of_latency = by == CriticalGain::latency;
  critical.of_worth = by == CriticalGain::worth;
  const auto candidates = candidates_of(tried, by, overloaded);
  const auto best = std::ranges::min_element(
      candidates, [](const Candidate& a, const Candidate& b) { return a.better_than(b); });
  if (best != candidates.end()) {
    critical.resource = *tried[best->what_if].what_if.resource;
    critical.gain = best->gain;
    critical.rescues = best->rescues;
    critical.what_if = best->what_if;
  } else {
    const auto largest = std::ranges::max_element(*shares) - shares->begin();
    critical.resource = static_cast<Resource>(largest);
  }
  critical.share = of(*shares, critical.resource);
  critical.sentence = sentence(critical, tried);
  return critical;
}

}  // namespace jostle::analyses
