#include "scenarios/result/starved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "input/units.hpp"
#include "models/process/runtimes.hpp"

namespace jostle::scenarios {
namespace {

template <class Metrics>
bool got_nothing(const Metrics& metrics) {
  return metrics.images == 0.0 && metrics.asked > 0;
}

constexpr double nearly_all = 0.995;

// True if something that was asked before the measured time was still there to do.
bool had_work(const ProcessResult& process) {
  return process.images == 0.0 && process.instances.empty() && process.time_share &&
         1 - (*process.time_share)[index_of(process::Share::idle)] >= nearly_all;
}

// Its causes while it had something to do: that it had nothing to do is no cause.
std::string cause(const ProcessResult& process) {
  if (!process.time_share) return {};
  TimeShare share = *process.time_share;
  const double busy = 1 - std::exchange(share[index_of(process::Share::idle)], 0);
  const auto most = std::ranges::max_element(share);
  if (*most <= 0) return ": it had nothing to do";
  const auto& row = process::share_rows.at(static_cast<std::size_t>(most - share.begin()));
  constexpr double computes = 0.95;
  if (busy >= nearly_all)
    return fmt::format(": it {} for {:.0f} % of the time{}", row.past, 100 * *most,
                       row.productive && *most > computes
                           ? ", and what was asked takes longer than that: give run: a longer duration"
                           : "");
  return fmt::format(": it had something to do for {} % of the time, and {} for {:.0f} % of that",
                     input::decimal(100 * busy, 2), row.past, 100 * *most / busy);
}

}  // namespace

Metric busy_share(const Result& result, const ProcessResult& process) {
  const auto part = [](const ProcessResult& one, process::Share of) {
    return busy_share(one) ? (*one.time_share)[index_of(of)] : 0;  // closed loops need none
  };
  using process::Share;
  const auto need = [&](const ProcessResult& one) {
    return part(one, Share::gpu_running) + part(one, Share::gpu_switch);
  };
  double gpu = 0;
  for (const ProcessResult& one : result.processes) gpu += std::min(need(one), need(process));
  const Metric own = busy_share(process);
  return part(process, Share::gpu_switch) > 0 ? Metric(std::max(*own, std::min(gpu, 1.0))) : own;
}

std::vector<std::string> starved(const Result& result) {
  std::vector<std::string> sentences;
  const std::string during = input::decimal(result.simulated_s, 4) + " s";
  for (const ProcessResult& process : result.processes) {
    if (process.status != "ok") continue;
    if (had_work(process) ||
        (got_nothing(process) && std::ranges::all_of(process.instances, got_nothing<InstanceResult>))) {
      sentences.push_back(
          fmt::format("process {} served nothing in {}{}", process.index, during, cause(process)));
      continue;
    }
    for (const InstanceResult& instance : process.instances)
      if (got_nothing(instance))
        sentences.push_back(fmt::format("stream {} of process {} served nothing in {}", instance.index,
                                        process.index, during));
  }
  return sentences;
}

void warn_of_starved(Result& result) {
  std::vector<std::string> sentences = starved(result);
  std::ranges::move(result.warnings, std::back_inserter(sentences));
  result.warnings = std::move(sentences);
}

void tell_ways(Result& pooled, const std::vector<Result>& replications) {
  // Smaller differences do not tell one way from another: shares of a run scatter by a tenth of them.
  constexpr double shares_apart = 0.15, rates_apart = 1.2;
  struct Ways {
    double least_share = 1, most_share = 0;
    double slowest = std::numeric_limits<double>::infinity(), fastest = 0;
  };
  std::map<std::int64_t, Ways> found;
  for (const Result& result : replications)
    for (const ProcessResult& process : result.processes) {
      if (!process.time_share || !process.throughput.mean) continue;
      Ways& ways = found[process.entry];
      const double share = (*process.time_share)[index_of(process::Share::waiting_for_core)];
      ways.least_share = std::min(ways.least_share, share);
      ways.most_share = std::max(ways.most_share, share);
      ways.slowest = std::min(ways.slowest, *process.throughput.mean);
      ways.fastest = std::max(ways.fastest, *process.throughput.mean);
    }
  std::int64_t told = -1;
  for (const ProcessResult& process : pooled.processes) {
    const Ways& ways = found[process.entry];
    if (told == process.entry || ways.most_share - ways.least_share < shares_apart ||
        ways.fastest < rates_apart * ways.slowest)
      continue;
    told = process.entry;
    pooled.warnings.push_back(fmt::format(
        "{} settles in one of several ways, by who comes to share a core with whom: {} to {} {} a process",
        process.name.empty() ? process.model : process.name, input::decimal(ways.slowest, 3),
        input::decimal(ways.fastest, 3), process.throughput.unit));
  }
}

std::vector<std::string> computed_as(const Result& result) {
  std::vector<std::string> sentences;
  for (const process::RuntimeTraits& row : process::runtimes) {
    const bool used =
        row.computed_as != nullptr &&
        std::ranges::find(result.processes, row.name, &ProcessResult::runtime) != result.processes.end();
    if (used)
      sentences.push_back(
          fmt::format("{} is computed as {}: what its server adds is not known", row.name, row.computed_as));
  }
  return sentences;
}

}  // namespace jostle::scenarios
