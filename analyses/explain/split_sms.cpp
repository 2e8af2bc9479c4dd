#include "analyses/explain/split_sms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "analyses/explain/merge.hpp"
#include "analyses/explain/parts.hpp"
#include "models/gpu/partitions.hpp"
#include "models/gpu/sharing.hpp"

namespace jostle::analyses {
namespace {

using scenarios::ProcessEntry;

// Gives each stream of the process an instance of its own, in the order of the streams. Returns false if
// streams share requests.
bool give_instances(ProcessEntry& process) {
  std::vector<ProcessEntry> instances;
  for (const ProcessEntry& part : parts_of(process)) {
    const std::int64_t streams = streams_of(process, part);
    if (streams > 1 && !part.arrivals.closed_loop()) return false;
    ProcessEntry one = alone(part);
    if (one.name.empty()) one.name = process.name;
    instances.insert(instances.end(), static_cast<std::size_t>(streams), one);
  }
  if (process.instances.empty()) process.name.clear();
  process.instances = std::move(instances);
  process.gpu.streams = 1;
  process.arrivals = {};
  process.gpu.priority = gpu::Priority::normal;
  process.gpu.mps_threads.reset();
  process.gpu.mps_memory.reset();
  process.gpu.sm_partition.reset();
  return true;
}

// The work on the GPU as instances of one process, and where that process stands. None if there are fewer
// than two of them, or if there are other processes on the GPU, with which it would take turns.
struct OneProcess {
  WhatIfBoard board;
  std::size_t entry = 0;
  [[nodiscard]] std::vector<ProcessEntry>& instances() { return board.scenario.processes[entry].instances; }
};
std::optional<OneProcess> in_one_process(const scenarios::Scenario& scenario) {
  OneProcess one;
  if (auto merged = as_streams(scenario)) {
    one.board = *std::move(merged);
  } else {
    one.board.scenario = scenario;
    one.board.parts.resize(part_places(scenario).size());
    std::iota(one.board.parts.begin(), one.board.parts.end(), std::size_t{0});
  }
  auto& processes = one.board.scenario.processes;
  const auto uses_gpu = [](const ProcessEntry& process) {
    return process.host.placement != scenarios::Placement::cpu;
  };
  const auto found = std::ranges::find_if(processes, uses_gpu);
  if (found == processes.end() || found->count != 1 || !scenarios::on_gpu(found->host.placement) ||
      std::ranges::count_if(processes, uses_gpu) != 1 || !has_instances(*found) || !give_instances(*found) ||
      found->instances.size() < 2)
    return std::nullopt;
  one.entry = static_cast<std::size_t>(found - processes.begin());
  if (!gpu::way_of(one.board.scenario.sharing).takes_turns)  // where mps_threads limits SMs
    one.board.scenario.sharing = gpu::Sharing::time_slicing;
  return one;
}

}  // namespace

std::optional<SplitSms> equal_partitions(const scenarios::Scenario& scenario, const gpu::Spec& gpu) {
  const auto sizes = gpu::partition_sizes(gpu);
  auto one = sizes ? in_one_process(scenario) : std::nullopt;
  if (!one) return std::nullopt;
  const auto count = static_cast<int>(one->instances().size());
  const int units = gpu.sm_count / sizes->multiple;
  std::vector<int> sms;
  for (int i = 0; i < count; ++i)
    sms.push_back((units / count + (i < units % count ? 1 : 0)) * sizes->multiple);
  if (sms.back() < sizes->least) return std::nullopt;
  for (std::size_t i = 0; i < sms.size(); ++i) one->instances()[i].gpu.sm_partition = sms[i];
  const std::string label = sms.front() == sms.back() ? fmt::format("SMs split, {} each", sms.front())
                                                      : fmt::format("SMs split, {}", fmt::join(sms, ", "));
  return SplitSms{std::move(one->board), label};
}

std::optional<SplitSms> partition_for_critical(const scenarios::Scenario& scenario, const gpu::Spec& gpu,
                                               double share) {
  const auto sizes = gpu::partition_sizes(gpu);
  auto one = sizes ? in_one_process(scenario) : std::nullopt;
  if (!one) return std::nullopt;
  std::vector<ProcessEntry>& instances = one->instances();
  const auto has_priority = [](const ProcessEntry& of) { return of.gpu.priority == gpu::Priority::high; };
  const bool by_priority = std::ranges::any_of(instances, has_priority);
  const auto critical_part = [&](const ProcessEntry& of) {
    return by_priority ? has_priority(of) : !of.arrivals.closed_loop();
  };
  const auto critical = std::ranges::count_if(instances, critical_part);
  if (critical == 0 || critical == static_cast<std::ptrdiff_t>(instances.size())) return std::nullopt;
  const double each = share * gpu.sm_count / static_cast<double>(critical);
  const int sms = gpu::partition_for(*sizes, std::max(1, static_cast<int>(std::floor(each))));
  const auto rest = gpu.sm_count - critical * sms;
  if (rest < sizes->least || static_cast<double>(critical * sms) > 1.5 * share * gpu.sm_count)
    return std::nullopt;  // the smallest partitions are too large for so many
  for (ProcessEntry& instance : instances)
    instance.gpu.sm_partition = critical_part(instance) ? sms : scenarios::rest_of_sms;
  const auto first = std::ranges::find_if(instances, critical_part);
  return SplitSms{std::move(one->board), critical > 1
                                             ? fmt::format("{} SMs each for {}", sms, critical)
                                             : fmt::format("{} SMs for {}", sms, scenarios::called(*first))};
}

}  // namespace jostle::analyses
