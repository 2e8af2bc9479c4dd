#include "analyses/explain/shares.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "analyses/explain/parts.hpp"
#include "input/units.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

std::string label_of(const scenarios::ProcessEntry& process, std::size_t count) {
  std::string label = count > 1 ? fmt::format("{} x ", count) : "";
  if (!process.name.empty()) label += process.name + ": ";
  label += scenarios::model_name(process);
  if (process.work.training) label += " training";
  if (process.instances.empty()) {
    if (const auto precision = scenarios::precision_name(process)) label += " " + *precision;
    label += fmt::format(" b{}", process.work.batch);
  }
  if (process.gpu.streams > 1) label += fmt::format(" on {} streams", process.gpu.streams);
  if (process.host.placement != scenarios::Placement::cpu)
    label += fmt::format(" {}", to_string(process.host.runtime));
  if (process.host.placement != scenarios::Placement::gpu)
    label += fmt::format(" on {}", to_string(process.host.placement));
  return label;
}

}  // namespace

Permille rounded(const scenarios::TimeShare& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  Permille result{};
  std::array<double, std::tuple_size_v<Permille>> rest{};
  int missing = 1000;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double exact = 1000 * shares[i] / sum;
    result[i] = static_cast<int>(std::floor(exact));
    rest[i] = exact - result[i];
    missing -= result[i];
  }
  for (; missing > 0; --missing) {
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(rest) - rest.begin());
    ++result[largest];
    rest[largest] = -1;
  }
  return result;
}

std::vector<ProcessGroup> groups_of(const scenarios::Scenario& scenario) {
  std::vector<ProcessGroup> groups;
  std::vector<std::string> keys;
  std::vector<std::size_t> entries;
  for (const scenarios::ProcessInstance& instance : scenarios::expand(scenario)) {
    scenarios::Scenario alone;
    alone.processes.push_back(scenario.processes[instance.entry]);
    alone.processes.front().count = 1;
    const std::string key = to_json(alone);
    const auto known = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    if (known == keys.size()) {
      keys.push_back(key);
      entries.push_back(instance.entry);
      groups.emplace_back();
    }
    groups[known].processes.push_back(instance.index);
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i].label = label_of(scenario.processes[entries[i]], groups[i].processes.size());
  return groups;
}

std::optional<scenarios::TimeShare> mean_share(const scenarios::Result& result,
                                               const std::vector<std::size_t>& processes) {
  scenarios::TimeShare mean{};
  double count = 0;
  for (const std::size_t index : processes) {
    if (index >= result.processes.size() || !result.processes[index].time_share) continue;
    ++count;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += (*result.processes[index].time_share)[i];
  }
  if (count == 0) return std::nullopt;
  for (double& share : mean) share /= count;
  return mean;
}

std::vector<UnitTotal> totals_of(const std::vector<scenarios::Result>& results) {
  UnitTotal images{"images", 0.0}, tokens{"tokens", 0.0};
  bool any_images = false, any_tokens = false;
  const auto plus = [](UnitTotal& total, const scenarios::Metric& value) {
    total.per_s = total.per_s && value ? scenarios::Metric(*total.per_s + *value) : std::nullopt;
  };
  for (const scenarios::Result& result : results) {
    for (const Part& part : parts_in(result)) {
      if (part.process->status != "ok") continue;
      const bool speaks = part.tokens().has_value();
      (speaks ? any_tokens : any_images) = true;
      plus(speaks ? tokens : images, speaks ? part.tokens()->per_s : part.throughput().mean);
    }
  }
  std::vector<UnitTotal> totals;
  if (any_images) totals.push_back(images);
  if (any_tokens) totals.push_back(tokens);
  return totals;
}

std::string latency_parts(const scenarios::ProcessResult& process) {
  constexpr double least = 0.05;  // share of the latency from which a part is named
  const double latency = process.latency_ms.mean.value_or(0);
  if (process.stages.empty() || !process.offered || !(latency > 0)) return {};
  std::vector<std::pair<double, std::string>> parts{
      {process.ec_ms.mean.value_or(0) + process.sync_ms.value_or(0), "GPU and launches"}};
  double rest = latency - parts.front().first;
  for (const scenarios::StageResult& stage : process.stages) {
    parts.emplace_back(stage.ms.value_or(0), stage.name);
    rest -= parts.back().first;
  }
  if (rest < -least * latency) return {};
  parts.emplace_back(std::max(0.0, rest), "waiting for a full batch, a turn or a core");
  std::ranges::stable_sort(parts, std::greater{}, [](const auto& part) { return part.first; });
  std::vector<std::string> words;
  double small = 0;
  for (const auto& [ms, name] : parts) {
    if (ms < least * latency)
      small += ms;
    else
      words.push_back(fmt::format("{} {}", name, input::decimal(ms, 3)));
  }
  if (small > latency / 100) words.push_back(fmt::format("other parts {}", input::decimal(small, 2)));
  return fmt::format("an image takes {} ms: {}", input::decimal(latency, 3), fmt::join(words, ", "));
}

// Sentences on everything besides the processes themselves that takes time from them: quotas, the limit of
// real-time threads, interrupts, a compositor.

namespace {

constexpr double least_share = 0.005;  // smaller shares are not mentioned

std::string whole(double value) {
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string held_back(const scenarios::Result& result, const std::vector<std::size_t>& processes) {
  double most = 0;
  const scenarios::ProcessResult* whose = nullptr;
  for (const std::size_t index : processes) {
    const scenarios::ProcessResult& process = result.processes[index];
    if (process.throttled_share.value_or(0) <= most) continue;
    most = *process.throttled_share;
    whose = &process;
  }
  if (most < least_share) return {};
  if (whose->throttled_by == "container")
    return fmt::format("throttled by its container for {} ms of every 100", whole(100 * most));
  return fmt::format("throttled as a real-time thread for {} ms of every 1000", whole(1000 * most));
}

std::vector<std::string> turns_of_others(const scenarios::Result& result,
                                         const std::vector<ProcessGroup>& groups, const ProcessGroup& than) {
  const auto turns = [&result](const ProcessGroup& group) {
    const auto share = mean_share(result, group.processes);
    const auto of = [&share](process::Share which) { return (*share)[static_cast<std::size_t>(which)]; };
    return share ? of(process::Share::gpu_running) + of(process::Share::gpu_switch) : 0.0;
  };
  double all = 0;
  for (const ProcessGroup& group : groups) all += static_cast<double>(group.processes.size()) * turns(group);
  std::vector<std::string> lines;
  for (const ProcessGroup& group : groups) {
    const double share = all > 0 ? turns(group) / all : 0;
    if (group.processes == than.processes || share < least_share) continue;
    lines.push_back(fmt::format("{}{} takes {} % of the GPU's turns",
                                group.processes.size() > 1 ? "each of " : "", group.label,
                                whole(100 * share)));
  }
  return lines;
}

std::vector<std::string> tenants(const scenarios::Result& result) {
  std::vector<std::string> lines;
  const scenarios::SystemResult& system = result.system;
  if (system.cpu.interrupted)
    lines.push_back(fmt::format("interrupts took {:.1f} % of a core from the threads there",
                                100 * *system.cpu.interrupted));
  if (system.gpu.compositor)
    lines.push_back(fmt::format("the compositor's frames ran for {:.1f} % of the time, in turns of their own",
                                100 * *system.gpu.compositor));
  return lines;
}

}  // namespace jostle::analyses
